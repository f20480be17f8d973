/** Address of the changes of the page at an address. */
export function livePathOf(url: string): string {
  return `/live${url === '/' ? '' : url}`;
}
