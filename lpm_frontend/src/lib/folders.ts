/** Folders as a tree: every folder with how many documents lie in it and below it. */

export interface Folder {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly count: number;
}

/** In the order of a tree, from the counts of the folders themselves. */
export function treeOf(counts: Readonly<Record<string, number>>): readonly Folder[] {
  const sums = new Map<string, number>();
  for (const [path, count] of Object.entries(counts)) {
    if (path === "") continue;
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const above = parts.slice(0, depth).join("/");
      sums.set(above, (sums.get(above) ?? 0) + count);
    }
  }
  const order = (a: string, b: string): number => {
    const [one, two] = [a.split("/"), b.split("/")];
    for (let at = 0; at < Math.min(one.length, two.length); at += 1) {
      const compared = (one[at] ?? "").localeCompare(two[at] ?? "", undefined, { numeric: true });
      if (compared !== 0) return compared;
    }
    return one.length - two.length;
  };
  return [...sums.keys()].sort(order).map((path) => ({
    path,
    name: path.split("/").at(-1) ?? path,
    depth: path.split("/").length - 1,
    count: sums.get(path) ?? 0,
  }));
}
