export interface OwnerAndName {
  /** Encoded for an address, as they came. */
  readonly owner: string;
  readonly name: string;
}

/** The last two parts of the address of a repository; null unless it has them. `root`: and no part before them. */
export function ownerAndName({ pathname }: URL, host: 'root' | 'below'): OwnerAndName | null {
  const parts = pathname
    .replace(/(\.git)?\/*$/, '')
    .split('/')
    .slice(1);
  const [owner = '', name = ''] = parts.slice(-2);
  if (parts.length < 2 || owner === '' || name === '' || (host === 'root' && parts.length > 2)) return null;
  return { owner, name };
}
