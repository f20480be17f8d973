import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import {
  DEFAULT_EXTRACT_LIMITS,
  type ExtractLimits,
  extractArchive,
} from '../../../adapters/archives/extract-archive.ts';

interface EntrySpec {
  readonly name: string;
  readonly type?: 'file' | 'link' | 'symlink' | 'directory' | 'block-device' | 'character-device' | 'fifo';
  readonly linkname?: string;
  readonly mode?: number;
  readonly text?: string;
}

const never = new AbortController().signal;

async function tar(entries: readonly EntrySpec[]): Promise<Buffer> {
  const stream = pack();
  for (const { text = '', ...header } of entries) {
    stream.entry({ type: 'file', mode: 0o644, ...header, size: text.length }, text);
  }
  stream.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

const tgz = async (entries: readonly EntrySpec[]): Promise<Buffer> => gzipSync(await tar(entries));
const file = (name: string, text = 'x'): EntrySpec => ({ name, text });
const link = (name: string, linkname: string): EntrySpec => ({ name, type: 'symlink', linkname });
const hard = (name: string, linkname: string): EntrySpec => ({ name, type: 'link', linkname });

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** What makes an archive broken → what the refusal says. Every refusal is ARCHIVE_INVALID. */
const BROKEN: readonly (readonly [string, () => Promise<Buffer>, RegExp])[] = [
  ['a parent path', () => tgz([file('../evil')]), /"\.\.\/evil" leads out of the archive/],
  ['a parent path further in', () => tgz([file('a/b/../../../evil')]), /leads out of the archive with "\.\."/],
  ['a parent path that stays inside', () => tgz([file('a/../evil')]), /leads out/],
  ['an absolute path', () => tgz([file('/tmp/evil')]), /"\/tmp\/evil" has an absolute path/],
  ['a drive letter', () => tgz([file('C:/evil')]), /absolute path/],
  ['a backslash', () => tgz([file('..\\evil')]), /backslash/],
  ['a NUL in a long name', async () => gzipSync(withPaxPath(await tar([file('plain')]), 'a\0b')), /NUL/],
  ['an absolute symbolic link', () => tgz([link('l', '/etc/passwd')]), /"l" is a symbolic link to an absolute path/],
  ['a symbolic link that leaves', () => tgz([link('a/l', '../../etc')]), /"a\/l" is a symbolic link that leads out/],
  [
    'a symbolic link up through another',
    () => tgz([link('a/up', '..'), link('a/l', 'up/../etc')]),
    /"a\/l".*"\.\." after a name/,
  ],
  ['a symbolic link without a target', () => tgz([link('l', '')]), /without a valid target/],
  [
    'a file below a symbolic link',
    () => tgz([{ name: 'a/', type: 'directory' }, link('l', 'a'), file('l/evil')]),
    /"l\/evil" passes through a symbolic link/,
  ],
  ['a link below a symbolic link', () => tgz([link('l', '.'), link('l/x', '..')]), /leads out|passes through/],
  ['a hard link that leaves', () => tgz([hard('h', '../evil')]), /leads out of the archive/],
  ['an absolute hard link', () => tgz([hard('h', '/etc/passwd')]), /absolute path/],
  [
    'a hard link to nothing',
    () => tgz([hard('h', 'nothing')]),
    /"h" is a hard link to something that is no earlier file/,
  ],
  ['a hard link to a symbolic link', () => tgz([link('l', 'x'), hard('h', 'l')]), /no earlier file/],
  ['a hard link through a symbolic link', () => tgz([file('a/f'), link('l', 'a'), hard('h', 'l/f')]), /passes through/],
  [
    'a character device',
    () => tgz([{ name: 'dev', type: 'character-device' }]),
    /"dev" is of a kind.*character-device/,
  ],
  ['a block device', () => tgz([{ name: 'dev', type: 'block-device' }]), /block-device/],
  ['a fifo', () => tgz([{ name: 'pipe', type: 'fifo' }]), /"pipe" is of a kind.*fifo/],
  ['a file below a file', () => tgz([file('a'), file('a/b')]), /"a\/b" lies below something that is not a directory/],
  ['a file in place of a directory', () => tgz([file('a/b'), file('a')]), /"a" replaces a directory/],
  ['a file without a name', () => tgz([file('./')]), /no name|replaces/],
  ['a path that is too long', () => tgz([file(`${'d/'.repeat(600)}f`)]), /longer than 1024 bytes/],
  ['a name that is too long', () => tgz([file('n'.repeat(256))]), /longer than 255 bytes/],
  ['a zip file', async () => Buffer.from('PK\u0003\u0004rest'), /zip file; pack it with tar -czf/],
  ['a plain tar', () => tar([file('a')]), /not gzip-compressed; pack it with tar -czf/],
  ['no content', async () => Buffer.alloc(0), /is empty/],
  ['three bytes', async () => Buffer.from([0x1f, 0x8b, 8]), /cut off/],
  ['no entries', () => tgz([]), /is empty/],
  ['gzip cut off', async () => (await tgz([file('a', 'y'.repeat(5_000))])).subarray(0, 60), /cut off/],
  ['tar cut off', async () => gzipSync((await tar([file('a', 'y'.repeat(5_000))])).subarray(0, 2_000)), /cut off/],
  ['damaged gzip', async () => Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(200, 0xff)]), /damaged/],
  ['gzip of something else', async () => gzipSync('this is not a tar file at all'.repeat(100)), /not a valid tar/],
];

/** Puts a pax header with that path in front: the only way a NUL gets into a name. */
function withPaxPath(content: Buffer, path: string): Buffer {
  const record = (length: number): string => `${length} path=${path}\n`;
  const body = Buffer.alloc(512);
  body.write(record(record(10).length));
  const header = Buffer.from(content.subarray(0, 512));
  header.write('pax', 0);
  header.write('x', 156);
  header.write(`${record(10).length.toString(8).padStart(11, '0')} `, 124);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, content]);
}

describe('extractArchive', () => {
  let base = '';
  let root = '';
  let count = 0;
  before(() => {
    base = mkdtempSync(join(tmpdir(), 'extract-'));
  });
  beforeEach(() => {
    count += 1;
    root = join(base, `case-${count}`, 'inner', 'source');
    mkdirSync(join(root, '..'), { recursive: true });
  });
  after(() => rmSync(base, { recursive: true, force: true }));

  async function unpack(content: Buffer, limits: Partial<ExtractLimits> = {}, piece = 700) {
    return await extractArchive(inPieces(content, piece), root, never, { ...DEFAULT_EXTRACT_LIMITS, ...limits });
  }

  it('unpacks files, directories, links inside and long names', async () => {
    const long = `${'deep/'.repeat(40)}file.txt`;
    const result = await unpack(
      await tgz([
        file('a.txt', 'hello'),
        { name: 'empty/', type: 'directory' },
        file(long, 'far'),
        file('none', ''),
        link('deep/l', '../a.txt'),
        link('dangling', 'later/f'),
        hard('copy', 'a.txt'),
      ]),
    );
    assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'hello');
    assert.equal(readFileSync(join(root, long), 'utf8'), 'far');
    assert.equal(readFileSync(join(root, 'deep/l'), 'utf8'), 'hello');
    assert.equal(readFileSync(join(root, 'copy'), 'utf8'), 'hello');
    assert.equal(readlinkSync(join(root, 'dangling')), 'later/f');
    assert.equal(statSync(join(root, 'none')).size, 0);
    assert.ok(statSync(join(root, 'empty')).isDirectory());
    assert.deepEqual([result.entries, result.strippedDirectory, result.onlyDirectory], [7, null, null]);
  });

  it('keeps the executable bit, and drops setuid, setgid, sticky and write for others', async () => {
    await unpack(
      await tgz([
        { name: 'run', mode: 0o6777, text: '#!' },
        { name: 'plain', mode: 0o1666, text: '' },
        { name: 'd/', type: 'directory', mode: 0o7777 },
        { name: 'locked', mode: 0, text: '' },
      ]),
    );
    const mode = (name: string): number => lstatSync(join(root, name)).mode & 0o7777;
    assert.deepEqual([mode('run'), mode('plain'), mode('d'), mode('locked')], [0o755, 0o644, 0o755, 0o644]);
  });

  it('a later entry replaces an earlier file or link, and never writes through it', async () => {
    await unpack(
      await tgz([file('a', 'first'), hard('b', 'a'), file('a', 'second'), link('c', 'b'), file('c', 'third')]),
    );
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => readFileSync(join(root, name), 'utf8')),
      ['second', 'first', 'third'],
    );
  });

  for (const [what, make, message] of BROKEN) {
    it(`refuses ${what}, and writes nothing outside`, async () => {
      await assert.rejects(unpack(await make()), { code: 'ARCHIVE_INVALID', message });
      assert.deepEqual(readdirSync(join(base, `case-${count}`)), ['inner']);
      assert.ok(readdirSync(join(root, '..')).every((name) => name === 'source'));
      assert.ok(!existsSync('/tmp/evil'));
    });
  }

  it('refuses more bytes, entries, directories and compression than the limits allow', async () => {
    const zeros = await tgz([file('zeros', '\0'.repeat(30 * 1024 * 1024))]);
    await assert.rejects(unpack(zeros, { totalBytes: 1024 * 1024 }), {
      code: 'ARCHIVE_INVALID',
      message: /"zeros" is larger than|unpacks to more than/,
    });
    await assert.rejects(unpack(zeros, { ratio: 100 }), {
      code: 'ARCHIVE_INVALID',
      message: /more than 100 times its size/,
    });
    const many = await tgz(Array.from({ length: 20 }, (_, index) => file(`f${index}`, 'z'.repeat(1_000))));
    await assert.rejects(unpack(many, { entries: 10 }), { code: 'ARCHIVE_INVALID', message: /more than 10 entries/ });
    await assert.rejects(unpack(many, { totalBytes: 10_000 }), {
      code: 'ARCHIVE_INVALID',
      message: /unpacks to more than 10000 bytes/,
    });
    await assert.rejects(unpack(await tgz([file(`${'d/'.repeat(20)}f`)]), { entries: 10 }), {
      message: /more than 10 directories/,
    });
  });

  it('takes off the directory of an archive made by git, and of no other', async () => {
    const repository = join(base, 'repository');
    mkdirSync(join(repository, 'src'), { recursive: true });
    writeFileSync(join(repository, 'src/index.js'), '1');
    writeFileSync(join(repository, 'app'), 'same name as the directory');
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args]);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    const made = await unpack(git('archive', '--format=tar.gz', '--prefix=app/', 'HEAD'));
    assert.equal(made.strippedDirectory, 'app');
    assert.deepEqual(readdirSync(root).sort(), ['app', 'src']);
    assert.deepEqual(readdirSync(join(root, '..')), ['source']);

    root = join(base, 'by-hand');
    const byHand = await unpack(await tgz([file('app/package.json', '{}')]));
    assert.deepEqual([byHand.strippedDirectory, byHand.onlyDirectory], [null, 'app']);
    assert.ok(existsSync(join(root, 'app/package.json')));
  });

  it('refuses a link to the directory that is taken off', async () => {
    const repository = join(base, 'linked');
    mkdirSync(repository);
    execFileSync('ln', ['-s', '../x', join(repository, 'l')]);
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args]);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    await assert.rejects(unpack(git('archive', '--format=tar.gz', '--prefix=app/', 'HEAD')), {
      message: /"app\/l".*leads out/,
    });
  });

  it('an abort ends it with the reason, even while the content hangs', async () => {
    const controller = new AbortController();
    async function* hanging() {
      yield (await tgz([file('a', 'y'.repeat(100_000))])).subarray(0, 100);
      setImmediate(() => controller.abort(new Error('cancelled')));
      await new Promise(() => {});
    }
    await assert.rejects(extractArchive(hanging(), root, controller.signal), /cancelled/);
  });

  it('an error of the content comes through', async () => {
    async function* broken() {
      yield (await tgz([file('a')])).subarray(0, 20);
      throw new Error('the upload broke');
    }
    await assert.rejects(extractArchive(broken(), root, never), /the upload broke/);
  });
});
