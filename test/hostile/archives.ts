import { gzipSync } from 'node:zlib';
import type { pack } from 'tar-stream';
import type { ErrorCode } from '../../domain/errors.ts';

type TarHeader = Parameters<ReturnType<typeof pack>['entry']>[0];

/** An archive that means harm: a working app, then these entries. */
export interface HostileArchive {
  readonly name: string;
  readonly entries?: readonly (TarHeader & { readonly content?: string })[];
  /** What becomes of the packed archive. */
  readonly damage?: (archive: Buffer) => Buffer;
  readonly code: ErrorCode;
  readonly message: RegExp;
}

const link = (name: string, linkname: string): TarHeader => ({ name, linkname, type: 'symlink' });
const CODE = 'ARCHIVE_INVALID' as const;

export const ARCHIVES: readonly HostileArchive[] = [
  {
    name: 'a name that climbs out',
    entries: [{ name: 'a/../../evil', content: 'x' }],
    code: CODE,
    message: /leads out of the archive/,
  },
  {
    name: 'an absolute name',
    entries: [{ name: '/etc/cron.d/evil', content: 'x' }],
    code: CODE,
    message: /absolute path/,
  },
  {
    name: 'a name of another system',
    entries: [{ name: 'a\\..\\..\\evil', content: 'x' }],
    code: CODE,
    message: /backslash/,
  },
  {
    name: 'a link to the operator’s key',
    entries: [link('key', '/root/.ssh/id_ed25519')],
    code: CODE,
    message: /absolute path/,
  },
  {
    name: 'a link that climbs out',
    entries: [link('key', '../../../etc/shadow')],
    code: CODE,
    message: /leads out of the archive/,
  },
  {
    name: 'a link that climbs through another',
    entries: [link('here', '.'), link('key', 'here/../../x')],
    code: CODE,
    message: /after a name/,
  },
  {
    name: 'a file written through a link',
    entries: [link('out', 'sub'), { name: 'out/evil', content: 'x' }],
    code: CODE,
    message: /passes through a symbolic link/,
  },
  {
    name: 'a hard link to a file of the machine',
    entries: [{ name: 'key', linkname: '/etc/shadow', type: 'link' }],
    code: CODE,
    message: /absolute path/,
  },
  {
    name: 'a disk',
    entries: [{ name: 'disk', type: 'block-device', devmajor: 8, devminor: 0 }],
    code: CODE,
    message: /of a kind/,
  },
  { name: 'a pipe', entries: [{ name: 'Dockerfile.pipe', type: 'fifo' }], code: CODE, message: /of a kind/ },
  {
    name: 'a file and a folder of one name',
    entries: [
      { name: 'x', content: 'x' },
      { name: 'x/y', content: 'y' },
    ],
    code: CODE,
    message: /not a directory/,
  },
  { name: 'zeros that unpack without measure', damage: () => bomb(), code: CODE, message: /unpack|times|larger/i },
  {
    name: 'a name of 300 letters',
    entries: [{ name: 'x'.repeat(300), content: 'x' }],
    code: CODE,
    message: /longer than/,
  },
  { name: 'an end that is missing', damage: (archive) => archive.subarray(0, -40), code: CODE, message: /cut off/ },
];

/** A header of a large file, and a part of its zeros: 64 MiB in 64 KB. */
function bomb(): Buffer {
  return gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
}
