import satisfies from 'semver/functions/satisfies.js';
import intersects from 'semver/ranges/intersects.js';
import validRange from 'semver/ranges/valid.js';
import { BASE_IMAGES, NODE_IMAGES } from '../container-file/base-images.ts';

/** Longer texts are no range that a person wrote. */
const MAX_CHARACTERS = 200;
/** Stands for the newest release of a major version, which the image has. */
const NEWEST = '999.999';

export interface NodeImage {
  readonly image: string;
  readonly reason: string;
  readonly warning: string | null;
}

/**
 * The Node.js image of an app by `engines.node` of its manifest: of the highest supported major version whose newest
 * release is in the range, else of one that has a release in it, else the default. A warning where the app does not get
 * what it asks for; null otherwise.
 */
export function nodeImage(range: string | null): NodeImage {
  if (range === null || range.trim() === '') {
    return { image: BASE_IMAGES.node, reason: 'the default; nothing names a version', warning: null };
  }
  const reason = `engines.node in package.json is ${JSON.stringify(range.slice(0, MAX_CHARACTERS))}`;
  const asked = `engines.node in package.json asks for ${JSON.stringify(range.slice(0, MAX_CHARACTERS))}`;
  const remedy = 'to run on another version, add a Dockerfile and name it in platform.io/dockerfile';
  if (range.length > MAX_CHARACTERS || validRange(range) === null) {
    return { image: BASE_IMAGES.node, reason, warning: `${asked}, which is no range of versions; it is ignored` };
  }
  const newest = NODE_IMAGES.find(({ major }) => satisfies(`${major}.${NEWEST}`, range));
  if (newest !== undefined) return { image: newest.image, reason, warning: null };
  const some = NODE_IMAGES.find(({ major }) => intersects(`${major}.x`, range));
  if (some !== undefined) {
    return {
      image: some.image,
      reason,
      warning: `${asked}; the app gets the newest release of ${some.major}: ${remedy}`,
    };
  }
  const supported = NODE_IMAGES.map(({ major }) => major).join(', ');
  return {
    image: BASE_IMAGES.node,
    reason,
    warning: `${asked}; generated container files have ${supported}: ${remedy}`,
  };
}
