/** Address of the changes of the page at an address. @param more added to its query */
export function livePathOf(url: string, more: Readonly<Record<string, string>> = {}): string {
  const path = `/live${url === '/' ? '' : url}`;
  const added = new URLSearchParams(more).toString();
  return added === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${added}`;
}
