/** The value of a header that counts once; the first where Node keeps several. */
export function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
