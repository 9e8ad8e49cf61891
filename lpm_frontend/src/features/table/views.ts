/** Where a table is. */
export const tableHref = (id: string): string => `/table?id=${encodeURIComponent(id)}`;
