/** An image name as it stands in a container file, taken apart. */
export interface ImageName {
  /** Registry host (`localhost:5050`); null for Docker Hub. */
  readonly host: string | null;
  /** Such as `node` or `org/app`; `library/` is left out for the official images of Docker Hub. */
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | null;
}

/** Takes an image name apart; the tag is `latest` when there is none. */
export function parseImageName(name: string): ImageName {
  const [beforeDigest = '', digest = null] = name.split('@');
  const slash = beforeDigest.indexOf('/');
  const first = slash === -1 ? '' : beforeDigest.slice(0, slash);
  const hasHost = first.includes('.') || first.includes(':') || first === 'localhost';
  const host = hasHost ? first : null;
  const path = hasHost ? beforeDigest.slice(slash + 1) : beforeDigest;
  const colon = path.lastIndexOf(':');
  const repository = colon === -1 ? path : path.slice(0, colon);
  const tag = colon === -1 ? 'latest' : path.slice(colon + 1);
  const hub = host === null || host === 'docker.io' || host === 'index.docker.io';
  return hub
    ? { host: null, repository: repository.replace(/^library\//, ''), tag, digest }
    : { host, repository, tag, digest };
}
