/** A folder of a tool that is kept between the builds of one service in one environment. */
export interface BuildCache {
  /** Tells it from the service's other caches. */
  readonly id: string;
  /** Where the tool looks for it, relative to the app. */
  readonly folder: string;
}

const CACHES = '/caches';

/** Where the package manager of the build stage keeps what it fetched. */
export const PACKAGE_CACHE = `${CACHES}/packages`;

/** What the caches of a service may hold in an environment. */
const LIMIT_KIB = 1024 * 1024;

/** Next.js keeps in it what other servers answered, which may be different by now. */
const ANSWERS = 'fetch-cache';

/**
 * Flags of RUN that mount caches at the given folders. The ids do not say whose the caches are: `checkSources` puts service
 * and environment before them. Of two builds one waits, because not every tool bears that another one changes its cache.
 */
export function mountFlags(caches: readonly BuildCache[]): string {
  return caches.map(({ id, folder }) => `--mount=type=cache,id=${id},target=${folder},sharing=locked `).join('');
}

/** The flags for the caches of tools. */
export function toolMounts(caches: readonly BuildCache[]): string {
  return mountFlags(caches.map(({ id }) => ({ id, folder: mounted(id) })));
}

/**
 * Links the folders of tools to their caches. A build that begins by removing its folder then removes a link: a mount
 * cannot be removed.
 */
export function linkCaches(caches: readonly BuildCache[]): readonly string[] {
  if (caches.length === 0) return [];
  const commands = caches.map(({ id, folder }) => {
    const parent = folder.slice(0, Math.max(0, folder.lastIndexOf('/'))) || '.';
    return `mkdir -p ${parent} && rm -rf ${folder} ${mounted(id)}/${ANSWERS} && ln -s ${mounted(id)} ${folder}`;
  });
  return [`RUN ${toolMounts(caches)}${commands.join(' && ')}`];
}

/** The command that removes the links, and empties the caches when they hold too much. */
export function dropCaches(caches: readonly BuildCache[], limitKib = LIMIT_KIB): string {
  const unlink = caches.length === 0 ? '' : `rm -rf ${caches.map(({ folder }) => folder).join(' ')}; `;
  return `${unlink}if [ "$(du -sk ${CACHES} | cut -f1)" -gt ${limitKib} ]; then rm -rf ${CACHES}/*/* ${CACHES}/*/.[!.]*; fi`;
}

function mounted(id: string): string {
  return `${CACHES}/${id}`;
}
