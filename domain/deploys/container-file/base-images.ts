/**
 * Base images of generated container files, by their official names. Those of Node.js have glibc, for which native
 * modules bring prebuilt programs.
 */
export const BASE_IMAGES = { node: 'node:24-bookworm-slim', nginx: 'nginx:1.28-alpine' } as const;

/** Node.js images that a manifest may ask for by `engines.node`, the newest first. */
export const NODE_IMAGES = [24, 22, 20].map((major) => ({ major, image: `node:${major}-bookworm-slim` }));

/** The image of the same Node.js and Debian that has compilers, Python and the headers of usual libraries. */
export function compilingImage(image: string): string {
  return image.replace(/-slim$/, '');
}

/** The user of every generated image, and the one that takes the place of a named user. */
export const APP_USER = '1001';
