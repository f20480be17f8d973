const MAX_LENGTH = 40;

/**
 * A service name made of the address of its repository, or of a folder: the last part, as `serviceNameSchema` takes it.
 * Empty when nothing of it can stand in a name.
 */
export function serviceNameOf(address: string): string {
  const last = address.replace(/[/]+$/, '').split(/[/:]/).at(-1) ?? '';
  const label = last
    .replace(/\.git$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return label.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, '');
}

/** What people paste: `github.com/acme/shop` is an https address; everything else is taken as it is. */
export function repositoryAddress(pasted: string): string {
  const text = pasted.trim();
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[^:]+$/i.test(text) ? `https://${text}` : text;
}
