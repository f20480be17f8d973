import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type Docker from 'dockerode';
import type { ProcessEnv } from '../../process/base-env.ts';
import { parseImageName } from '../image-name.ts';
import { inspectImage } from '../inspect-image.ts';
import { STAND_IN_LABEL } from '../labels.ts';
import { removeImage } from '../remove-image.ts';
import { baseRoot, certificateBundle } from './base-root.ts';
import { usrMerged } from './debian-packages.ts';
import { importImage, tagImage } from './import-image.ts';
import type { PartSource } from './machine-parts.ts';
import { NGINX_CONFIG, nginxRoot } from './nginx-root.ts';
import {
  NODE_DEBIAN_PACKAGES,
  NODE_PACKAGES,
  type NodeFlavour,
  nodeConfig,
  nodeRoot,
  registryFacts,
} from './node-root.ts';
import type { RootEntry } from './root-archive.ts';

/** Raised when what a stand-in contains changes, so that images of the earlier recipe are made anew. */
const RECIPE = 5;

/** Where stand-ins are kept under their fingerprint; official names are further tags of them. */
const OWN_PREFIX = 'fairlead-stand-in';
const FINGERPRINT_LABEL = 'fairlead.stand-in-fingerprint';

/** How long the making of one image may take, downloads included: up to 180 MB of packages. */
const MAKE_DEADLINE_MS = 600_000;

export interface StandInsOptions {
  readonly docker: Docker;
  /** Environment of the commands that fetch parts (npm, apt-get); never secrets. */
  readonly env: ProcessEnv;
  /** Where downloaded parts are kept, such as `~/.cache/fairlead`. */
  readonly cacheDirectory: string;
  /** The node program to put into node images, and its version without the `v`. */
  readonly nodePath: string;
  readonly nodeVersion: string;
}

/** Local images made from this machine that stand in for public ones which cannot be pulled. */
export interface StandIns {
  /** What is covered, in words for an error message. */
  readonly covered: string;
  covers(name: string): boolean;
  /** True when the image of this id is the stand-in that would be made now for the name. */
  isCurrent(name: string, imageId: string): Promise<boolean>;
  /** Makes the stand-in and gives it that name. Two callers at once make it once. */
  provide(name: string): Promise<void>;
}

interface Family {
  readonly name: string;
  /** Of the images it stands in for. */
  readonly repository: string;
  covers(tag: string): boolean;
  /** What decides the content besides the recipe. */
  facts(): Promise<readonly string[]>;
  entries(source: PartSource): Promise<readonly RootEntry[]>;
  config(source: PartSource): Promise<readonly string[]>;
}

export function createStandIns(options: StandInsOptions): StandIns {
  const families = familyTable(options);
  const making = new Map<string, Promise<void>>();
  const familyOf = (name: string): Family | undefined => {
    const image = parseImageName(name);
    if (image.host !== null || image.digest !== null) return undefined;
    return families.find((family) => family.repository === image.repository && family.covers(image.tag));
  };
  return {
    covered: `node up to ${major(options.nodeVersion)}, nginx, alpine and busybox`,
    covers: (name) => familyOf(name) !== undefined,
    isCurrent: async (name, imageId) => {
      const family = familyOf(name);
      return (
        family !== undefined && (await inspectImage(options.docker, await ownName(family, options)))?.Id === imageId
      );
    },
    provide: async (name) => {
      const family = familyOf(name);
      if (family === undefined) throw new Error(`no stand-in covers ${name}`);
      const own = await ownName(family, options);
      const running = making.get(own) ?? makeFamily(family, own, options).finally(() => making.delete(own));
      making.set(own, running);
      await running;
      await takeName(options.docker, own, name);
    },
  };
}

/** Nothing but this module gives such a name, so the image that has it is one that the platform made. */
async function ownName(family: Family, options: StandInsOptions): Promise<string> {
  return `${OWN_PREFIX}/${family.name}:${await fingerprint(family, options)}`;
}

async function makeFamily(family: Family, own: string, options: StandInsOptions): Promise<void> {
  const present = await options.docker.listImages({ filters: { reference: [own] } });
  if (present.length > 0) return;
  const { env, cacheDirectory } = options;
  const source: PartSource = { env, cacheDirectory, signal: AbortSignal.timeout(MAKE_DEADLINE_MS) };
  const entries = usrMerged([...(await baseRoot(source)), ...(await family.entries(source))]);
  const config = [
    ...(await family.config(source)),
    `LABEL ${STAND_IN_LABEL}=${family.name} ${FINGERPRINT_LABEL}=${await fingerprint(family, options)}`,
  ];
  await importImage(options.docker, { name: own, entries, config, signal: source.signal });
  await removeEarlier(family, own, options.docker);
}

/** Gives the stand-in an official name; the earlier stand-in of that name goes, unless images are built on it. */
async function takeName(docker: Docker, own: string, name: string): Promise<void> {
  const earlier = await docker.listImages({ filters: { reference: [name] } });
  await tagImage(docker, own, name);
  for (const { Id: id } of earlier) {
    const left = await docker.listImages({ filters: { dangling: ['true'] } });
    if (left.some((image) => image.Id === id)) await removeImage(docker, id);
  }
}

/** Earlier makes of a family lose their own name; what is still in use stays under its other names. */
async function removeEarlier(family: Family, own: string, docker: Docker): Promise<void> {
  const images = await docker.listImages({ filters: { reference: [`${OWN_PREFIX}/${family.name}`] } });
  for (const name of images.flatMap((image) => image.RepoTags ?? [])) {
    if (name === own || !name.startsWith(`${OWN_PREFIX}/${family.name}:`)) continue;
    await removeImage(docker, name);
  }
}

function familyTable(options: StandInsOptions): readonly Family[] {
  const plain = { facts: async () => [], entries: async () => [], config: async () => ['CMD ["sh"]'] };
  return [
    ...(['slim', 'full'] as const).map((flavour) => nodeFamily(flavour, options)),
    {
      name: 'nginx',
      repository: 'nginx',
      covers: () => true,
      facts: async () => [],
      entries: nginxRoot,
      config: async () => NGINX_CONFIG,
    },
    { name: 'alpine', repository: 'alpine', covers: () => true, ...plain },
    { name: 'busybox', repository: 'busybox', covers: () => true, ...plain },
  ];
}

function nodeFamily(flavour: NodeFlavour, options: StandInsOptions): Family {
  return {
    name: flavour === 'slim' ? 'node' : 'node-full',
    repository: 'node',
    covers: (tag) => coversNode(tag, major(options.nodeVersion)) && nodeFlavour(tag) === flavour,
    facts: async () => {
      const program = await stat(options.nodePath);
      const packages = JSON.stringify([NODE_PACKAGES, NODE_DEBIAN_PACKAGES[flavour]]);
      return [options.nodeVersion, String(program.size), String(program.mtimeMs), packages];
    },
    entries: (source) => nodeRoot(options, flavour, source),
    config: async (source) => nodeConfig(options.nodeVersion, await registryFacts(source)),
  };
}

/** Tags such as `24`, `24-alpine`, `22.11-slim`, `lts-alpine`: any of a major this machine's node is not older than. */
function coversNode(tag: string, machineMajor: number): boolean {
  if (/^(latest|lts|current|alpine|slim|trixie|bookworm|bullseye)\b/.test(tag)) return true;
  const wanted = /^(\d+)(\.\d+){0,2}(-[\w.-]+)?$/.exec(tag)?.[1];
  return wanted !== undefined && Number(wanted) <= machineMajor;
}

/** Tags such as `24`, `lts` and `24-bookworm` name the image with compilers; `24-slim` and `24-alpine` one without. */
function nodeFlavour(tag: string): NodeFlavour {
  return /^(latest|lts|current|[\d.]+|(trixie|bookworm|bullseye))(-(trixie|bookworm|bullseye))?$/.test(tag)
    ? 'full'
    : 'slim';
}

function major(version: string): number {
  return Number(version.split('.')[0]);
}

async function fingerprint(family: Family, options: StandInsOptions): Promise<string> {
  const bundle = certificateBundle(options.env);
  const hash = createHash('sha256').update([RECIPE, family.name, ...(await family.facts())].join('\n'));
  if (bundle !== null) hash.update(await readFile(bundle));
  return hash.digest('hex').slice(0, 16);
}
