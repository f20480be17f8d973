/** The option `--org` of a command that is shown, with the space before it; nothing where none was given. */
export function orgText(org: string | undefined): string {
  return org === undefined ? '' : ` --org ${org}`;
}
