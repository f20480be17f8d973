/** Base images of generated container files, by their official names. */
export const BASE_IMAGES = { node: 'node:24-alpine', nginx: 'nginx:1.28-alpine' } as const;

/** Node.js images that a manifest may ask for by `engines.node`, the newest first. */
export const NODE_IMAGES = [24, 22, 20].map((major) => ({ major, image: `node:${major}-alpine` }));

/** The user of every generated image, and the one that takes the place of a named user. */
export const APP_USER = '1001';
