import satisfies from 'semver/functions/satisfies.js';
import intersects from 'semver/ranges/intersects.js';
import minVersion from 'semver/ranges/min-version.js';
import validRange from 'semver/ranges/valid.js';
import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { BASE_IMAGES, NODE_IMAGES } from '../container-file/base-images.ts';

/** Longer texts are no range that a person wrote. */
const MAX_CHARACTERS = 200;
/** Stands for the newest release of a major version, which the image has. */
const NEWEST = '999.999';

/** Names of long-term releases, as version managers know them. */
const NAMED: Readonly<Record<string, string>> = {
  argon: '4',
  boron: '6',
  carbon: '8',
  dubnium: '10',
  erbium: '12',
  fermium: '14',
  gallium: '16',
  hydrogen: '18',
  iron: '20',
  jod: '22',
  krypton: '24',
};

/** When the supported releases stop getting fixes, as their project has announced it. */
const END_OF_LIFE: Readonly<Record<number, string>> = { 20: 'April 2026' };

export interface NodeImage {
  readonly image: string;
  /** False where nothing in the source names a version. */
  readonly isNamed: boolean;
  readonly reason: string;
  readonly warning: string | null;
}

/** A range of versions that something in the source asks for. */
interface Wanted {
  readonly range: string;
  /** Where it stands, such as `engines.node in package.json`. */
  readonly place: string;
  /** True for one that is written to be exact, where the newest release of its major version is meant. */
  readonly isPin: boolean;
}

/**
 * The Node.js image of an app: of the version that the catalog declares, else the one that `volta`, `.nvmrc`, `.node-version`, `.tool-versions` or mise pin when
 * `engines.node` allows it, else of `engines.node`. The highest supported major version whose newest release is in the
 * range, else one that has a release in it, else the nearest. A warning where the app does not get what it asks for, or
 * where that gets no fixes any more; null otherwise.
 */
export function nodeImage(manifest: Manifest, source: AppSource, declared: string | null = null): NodeImage {
  if (declared === null) return imageOfSource(manifest, source);
  const wanted = { range: declared, place: 'platform.io/node-version', isPin: true };
  if (isRange(declared)) return { ...imageFor(wanted), isNamed: true };
  const found = imageOfSource(manifest, source);
  return { ...found, warning: [noRange(wanted), ...(found.warning === null ? [] : [found.warning])].join('; ') };
}

function imageOfSource(manifest: Manifest, source: AppSource): NodeImage {
  const engines = enginesOf(manifest);
  const pins = pinsOf(manifest, source).filter(({ range }) => isRange(range));
  const usable = engines !== null && isRange(engines.range) ? engines : null;
  const pin = pins.find(({ range }) => usable === null || intersects(range, usable.range));
  const wanted = pin ?? usable;
  if (wanted !== null && wanted !== undefined) return { ...imageFor(wanted), isNamed: true };
  if (engines === null)
    return { image: BASE_IMAGES.node, reason: 'the default; nothing names a version', warning: null, isNamed: false };
  return { image: BASE_IMAGES.node, reason: 'the default', warning: noRange(engines), isNamed: true };
}

/**
 * True where packages can be held to the Node.js they get: the source names one, and the newest release of its major version
 * is what each of the manifests that are installed asks for.
 */
export function fitsEngines({ image, isNamed }: NodeImage, manifests: readonly Manifest[]): boolean {
  const major = NODE_IMAGES.find((one) => one.image === image)?.major;
  if (!isNamed || major === undefined) return false;
  return manifests
    .map((manifest) => enginesOf(manifest)?.range ?? '*')
    .every((range) => isRange(range) && satisfies(`${major}.${NEWEST}`, range));
}

function imageFor(wanted: Wanted): Omit<NodeImage, 'isNamed'> {
  const { range, place, isPin } = wanted;
  const reason = `${place} asks for ${JSON.stringify(range)}`;
  const remedy = 'to run on another version, add a Dockerfile and name it in platform.io/dockerfile';
  const newest = NODE_IMAGES.find(({ major }) => satisfies(`${major}.${NEWEST}`, range));
  if (newest !== undefined) return { image: newest.image, reason, warning: endOfLife(newest.major) };
  const some = NODE_IMAGES.find(({ major }) => intersects(`${major}.x`, range));
  if (some !== undefined) {
    const warning = isPin ? null : `${asking(wanted)}; the app gets the newest release of ${some.major}: ${remedy}`;
    return { image: some.image, reason, warning: warning ?? endOfLife(some.major) };
  }
  const asked = minVersion(range)?.major ?? 0;
  const nearest = [...NODE_IMAGES].reverse().find(({ major }) => major >= asked) ?? NODE_IMAGES[0];
  const { image = BASE_IMAGES.node, major = asked } = nearest ?? {};
  const supported = new Intl.ListFormat('en-GB').format(NODE_IMAGES.map((one) => `${one.major}`));
  const why = asked < major ? 'which gets no fixes any more' : 'which is not supported yet';
  const warning = `${asking(wanted)}, ${why}; the app gets ${major}, the nearest of ${supported}: ${remedy}`;
  return { image, reason, warning };
}

function endOfLife(major: number): string | null {
  const end = END_OF_LIFE[major];
  return end === undefined ? null : `Node.js ${major} gets no fixes after ${end}; ask for a newer one in engines.node`;
}

function noRange(wanted: Wanted): string {
  return `${asking(wanted)}, which is no range of versions; it is ignored`;
}

function asking({ range, place }: Wanted): string {
  return `${place} asks for ${JSON.stringify(range.slice(0, MAX_CHARACTERS))}`;
}

function enginesOf({ nodeRange }: Manifest): Wanted | null {
  if (nodeRange === null || nodeRange.trim() === '') return null;
  return { range: nodeRange, place: 'engines.node in package.json', isPin: false };
}

function pinsOf({ voltaNode }: Manifest, { texts }: AppSource): readonly Wanted[] {
  const found: readonly (readonly [string, string | undefined])[] = [
    ['volta.node in package.json', voltaNode ?? undefined],
    ['.nvmrc', texts['.nvmrc']],
    ['.node-version', texts['.node-version']],
    ['.tool-versions', /^node(?:js)?[ \t]+(\S+)/m.exec(texts['.tool-versions'] ?? '')?.[1]],
    ...['mise.toml', '.mise.toml'].map((file) => [file, miseVersion(texts[file] ?? '')] as const),
  ];
  return found.flatMap(([place, text]) => (text === undefined ? [] : [{ range: rangeOf(text), place, isPin: true }]));
}

/** `node = "22"`, `node = ["22"]` or `node = { version = "22" }` of the tools. */
function miseVersion(text: string): string | undefined {
  return /^["']?node(?:js)?["']?[ \t]*=\s*(?:(?:\[|\{\s*version\s*=)\s*)?["']([^"']+)["']/m.exec(text)?.[1];
}

/** A version as version managers read it: `v22.1.0`, `lts/jod`, `node`. */
function rangeOf(text: string): string {
  const line =
    text
      .split('\n')
      .map((one) => one.replace(/#.*/, '').trim())
      .find((one) => one !== '') ?? '';
  const word = line.replace(/^node[-/]/, '').replace(/^lts[-/]/, '');
  if (/^(?:\*|lts|node|stable|latest|current)$/.test(word)) return '*';
  return NAMED[word] ?? word;
}

function isRange(range: string): boolean {
  return range !== '' && range.length <= MAX_CHARACTERS && validRange(range) !== null;
}
