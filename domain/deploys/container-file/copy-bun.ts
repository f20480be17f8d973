/** The stage in which Bun is installed, and the folder that has it there. */
export const BUN_STAGE = 'bun';
export const BUN_FOLDER = '/bun';

/** Of a folder, since a link alone would be copied as a second program. */
export const COPY_BUN = `COPY --from=${BUN_STAGE} ${BUN_FOLDER}/ /usr/local/bin/`;
