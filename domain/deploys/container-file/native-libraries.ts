const FOLDER = '/native-libraries';

/** Native modules, libraries that they bring, and the engines of Prisma. */
const PROGRAMS = ['*.node', '*.so', '*.so.*', '*-engine-*'].map((pattern) => `-name '${pattern}'`).join(' -o ');

/** Libraries that every image of Node.js has. */
const EVERYWHERE = [
  'ld-linux.*',
  'libc',
  'libdl',
  'libgcc_s',
  'libm',
  'libpthread',
  'libresolv',
  'librt',
  'libstdc[+][+]',
  'libutil',
];

/**
 * Copies aside the libraries of the image with compilers that the app's native modules load, because the image it runs
 * on may lack them. Both are of one Debian release.
 */
export const COLLECT_LIBRARIES: readonly string[] = [
  `RUN mkdir -p ${FOLDER} && find /app -type f \\( ${PROGRAMS} \\) -exec ldd {} ';' 2>/dev/null \\`,
  `  | sed -n 's|.* => \\(/[^ ]*\\) (0x.*|\\1|p' | sort -u | grep -v '^/app/' \\`,
  `  | grep -Ev '/(${EVERYWHERE.join('|')})[.]so' | while read -r library; do \\`,
  // What Debian's images have in /lib lies in /usr/lib.
  `    folder="${FOLDER}/usr/$(dirname "\${library#/usr}" | sed 's|^/||')"; \\`,
  '    mkdir -p "$folder" && cp -L "$library" "$folder/"; \\',
  '  done',
];

export const COPY_LIBRARIES = `COPY --from=build ${FOLDER}/ /`;
