import { createHash } from 'node:crypto';
import { debianPackages, type PartSource, withDependencies } from './machine-parts.ts';
import { folderEntries, type RootEntry } from './root-archive.ts';

/** The libraries of Debian's slim image, which prebuilt native modules load, its shells, and `ldd`. */
export const SLIM_PACKAGES: readonly string[] = [
  ...[
    'dash',
    'libc-bin',
    'bash',
    'libstdc++6',
    'zlib1g',
    'libgnutls30',
    'libcom-err2',
    'libdb5.3',
    'libsystemd0',
    'libudev1',
    'libmount1',
  ],
  ...['libxxhash0', 'libseccomp2', 'libss2'],
];

/** What native modules are compiled with in the full image: compilers, Python, and the headers of its libraries. */
export const FULL_PACKAGES: readonly string[] = [
  ...SLIM_PACKAGES,
  ...['gcc', 'g++', 'make', 'python3', 'pkg-config', 'autoconf', 'automake', 'libtool', 'patch', 'file'],
  ...['coreutils', 'diffutils', 'findutils', 'grep', 'gzip', 'sed', 'tar'],
  ...['git', 'openssh-client', 'curl', 'openssl', 'procps', 'bzip2', 'unzip', 'xz-utils', 'libc6-dev'],
  ...['zlib1g-dev', 'libbz2-dev', 'liblzma-dev', 'libssl-dev', 'libffi-dev', 'libgmp-dev', 'libglib2.0-dev'],
  ...['libncurses-dev', 'libreadline-dev', 'libkrb5-dev', 'libcurl4-openssl-dev', 'libxml2-dev', 'libxslt1-dev'],
  ...['libyaml-dev', 'libevent-dev', 'libdb-dev', 'libgdbm-dev', 'libmaxminddb-dev'],
  ...['libsqlite3-dev', 'libpq-dev', 'default-libmysqlclient-dev'],
  ...['libjpeg-dev', 'libpng-dev', 'libwebp-dev', 'libgif-dev', 'librsvg2-dev', 'libcairo2-dev', 'libpango1.0-dev'],
];

/** Manuals, translations, link-time optimisation, sanitizers and large static libraries: a third of the space. */
const LEFT_OUT = [
  /^usr\/share\/(doc|man|locale|info|lintian|bug)\//,
  /^var\/(cache|lib\/dpkg)\//,
  /\/(lto1|[^/]*lto-dump[^/]*|lib(a|t|l|ub|hwa)san[^/]*)$/,
  /\/lib(icu\w+|crypto|c|gio-2\.0|xml2|cairo|X11)\.a$/,
];

/** Everything in the packages and in those they depend on, as it lies in Debian's images. */
export async function debianEntries(
  label: string,
  names: readonly string[],
  source: PartSource,
): Promise<readonly RootEntry[]> {
  // Another list is another folder.
  const digest = createHash('sha256').update(names.join()).digest('hex').slice(0, 8);
  const all = await withDependencies(names, source);
  const root = await debianPackages(`${label}-${digest}`, all, source);
  return (await folderEntries(root, '')).filter(({ path }) => !LEFT_OUT.some((pattern) => pattern.test(path)));
}

const TOP_FOLDERS = ['bin', 'sbin', 'lib', 'lib64'] as const;

/** The same files with `/bin`, `/sbin` and `/lib` as links into `/usr`, as Debian's images have them. */
export function usrMerged(entries: readonly RootEntry[]): readonly RootEntry[] {
  const moved = entries
    .filter(({ path }) => !TOP_FOLDERS.some((folder) => folder === path))
    .map((entry) => ({ ...entry, path: entry.path.replace(/^(?=(bin|sbin|lib|lib64)\/)/, 'usr/') }));
  return [
    ...moved,
    ...TOP_FOLDERS.map((path): RootEntry => ({ path: `usr/${path}`, kind: 'directory' })),
    ...TOP_FOLDERS.map((path): RootEntry => ({ path, kind: 'link', target: `usr/${path}` })),
  ];
}
