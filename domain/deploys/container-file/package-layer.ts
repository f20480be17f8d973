/** Where the stage that builds lays what the app has besides its packages. */
export const SOURCE_FOLDER = '/out';

/**
 * Of packages: caches of build tools, and when a package manager was last at work. A program that keeps there at its install what it runs
 * with, such as a browser, has to be told another folder.
 */
const CHANGED_BY_BUILDS = ['.cache', '.vite', '.modules.yaml', '.pnpm-workspace-state*.json'];

/**
 * Commands that part the app of a stage that builds from its packages, which come to the image as a layer of their own. Its content
 * is the same while the lockfile is, whatever a build made besides: such a layer is neither packed nor pushed nor pulled again.
 */
export const PART_FROM_PACKAGES = [
  `mkdir -p ${SOURCE_FOLDER} /app/node_modules`,
  'for each in /app/* /app/.[!.]* /app/..?*; do' +
    ' if [ "$each" != /app/node_modules ] && { [ -e "$each" ] || [ -L "$each" ]; }; then' +
    ` cp -a "$each" ${SOURCE_FOLDER}/ || exit 1; fi; done`,
  `rm -rf ${CHANGED_BY_BUILDS.map((name) => `/app/node_modules/${name}`).join(' ')}`,
].join(' && ');

/** For a stage that built what it runs with into {@link SOURCE_FOLDER}, packages included. */
export const WITHOUT_PACKAGES = 'rm -rf /app/node_modules && mkdir /app/node_modules';

/** Both, in the image. */
export const COPY_BOTH = [
  'COPY --from=build /app/node_modules ./node_modules',
  `COPY --from=build ${SOURCE_FOLDER} ./`,
];
