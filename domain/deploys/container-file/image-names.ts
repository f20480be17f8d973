import { ImageVariables } from './image-variables.ts';

/** Whose image is built, and where the platform keeps images. */
export interface ImagePolicy {
  /** Host and port of the platform's image registry, with a path prefix if it has one. */
  readonly registry: string;
  /** The only repository of that registry which may be used: the service's own. */
  readonly repository: string;
}

/** Judges the names of images, with the ARGs before the first FROM put in and the stages of the file known. */
export class ImageNames {
  readonly #policy: ImagePolicy;
  readonly #variables = new ImageVariables();
  readonly #stages = new Set<string>();
  #begun = false;

  constructor(policy: ImagePolicy) {
    this.#policy = policy;
  }

  /** Notes the arguments of an ARG. @returns what is wrong with them; null when nothing is */
  note(content: string): string | null {
    return this.#begun ? null : this.#variables.note(content);
  }

  problemOfFrom(content: string): string | null {
    this.#begun = true;
    const [image = '', , stage] = content.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
    // Stages are counted in COPY alone.
    const problem = /^\d+$/.test(image) ? problemOfImage(image, this.#policy) : this.problemOf(image);
    if (stage !== undefined) this.#stages.add(stage.toLowerCase());
    return problem;
  }

  problemOf(written: string): string | null {
    // What is nested or not known is refused as a name, since `$` is in none.
    const name = this.#variables.expand(written).replace(/^(["'])(.*)\1$/, '$2');
    if (name === 'scratch' || /^\d{1,3}$/.test(name) || this.#stages.has(name.toLowerCase())) return null;
    return problemOfImage(name, this.#policy);
  }
}

function problemOfImage(name: string, { registry, repository }: ImagePolicy): string | null {
  const shown = name.slice(0, 200);
  if (/[^\w./:@[\]-]/.test(name) || name === '') {
    return `${shown} cannot be read as the name of an image; write it out, or give its ARG a default before the first FROM`;
  }
  // Engines look such a name up among the ids of all their images.
  if (/^(?:(?:sha256:)?[0-9a-f]{4,64}|\d+)$/i.test(name))
    return `${shown} names an image by its id; name it by repository and tag`;
  const own = repository.toLowerCase();
  const rest = name.toLowerCase().slice(own.length);
  if (name.toLowerCase().startsWith(own) && /^[:@]/.test(rest)) return null;
  if (isWithin(name, registry)) {
    return `${shown} is in the platform's registry and not of this service; push it to a registry of your own`;
  }
  const host = hostOf(name);
  if (host === null) return null;
  const bare = host.replace(/:\d+$/, '').toLowerCase();
  // Numbers, also as 0x7f.1: a name's last label begins with a letter and is more than a number in hexadecimal.
  const isNumber = /^(?:\d*|0x[0-9a-f]*)$/.test(bare.split('.').at(-1) ?? '');
  const local = isNumber || bare === 'localhost' || bare.endsWith('.localhost');
  return local || bare.startsWith('[')
    ? `${shown} is in a registry named by an address; name it by a public host name`
    : null;
}

/** The registry of images that name none. It is everybody's, so that only a path in it can be the platform's. */
const DOCKER_HUB = 'docker.io';

/** Whether a registry holds an image, however the image is named. @param registry as in {@link ImagePolicy} */
function isWithin(name: string, registry: string): boolean {
  const image = placeOf(name);
  const platform = placeOf(`${registry}/`);
  if (image.host !== platform.host) return false;
  return platform.host !== DOCKER_HUB || (platform.path !== '' && image.path.startsWith(platform.path));
}

function placeOf(name: string): { readonly host: string; readonly path: string } {
  const host = hostOf(name);
  if (host === null) return { host: DOCKER_HUB, path: name.toLowerCase() };
  const isHub = /^(?:(?:index|registry-1)\.)?docker\.io(?::443)?$/i.test(host);
  return { host: isHub ? DOCKER_HUB : host.toLowerCase(), path: name.slice(host.length + 1).toLowerCase() };
}

/** The registry of an image name: its first part when that looks like a host (distribution's reference grammar). */
function hostOf(name: string): string | null {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return null;
  const isHost = /[.:[\]]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  return isHost ? first : null;
}
