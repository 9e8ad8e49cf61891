/** Words of a field that the address says too. */
import { useCallback, useState } from "react";

/**
 * What stands in the field, how to change it, and how to say that the address will be made to say
 * these words.
 *
 * Another address (a link, the way back) brings its own words. One that the field itself asked for
 * comes later than the hand that types on, so it brings none: letters would be lost.
 */
export function useDraft(
  address: string,
): readonly [draft: string, write: (words: string) => void, asking: (words: string) => void] {
  const [draft, write] = useState(address);
  const [seen, setSeen] = useState(address);
  const [own, setOwn] = useState<readonly string[]>([]);
  if (seen !== address) {
    setSeen(address);
    if (own.includes(address)) {
      setOwn(own.slice(own.lastIndexOf(address)));
    } else {
      setOwn([]);
      write(address);
    }
  }
  const asking = useCallback((words: string) => setOwn((before) => [...before, words]), []);
  return [draft, write, asking];
}
