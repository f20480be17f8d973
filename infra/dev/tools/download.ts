import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, fetch } from 'undici';
import { runProgram } from './run-program.ts';

// Where there is no network the next way must get its turn quickly.
const agent = new Agent({ connect: { timeout: 4_000 }, headersTimeout: 15_000, bodyTimeout: 60_000 });

async function get(url: string, headers: Record<string, string> = {}): ReturnType<typeof fetch> {
  const response = await fetch(url, { dispatcher: agent, headers: { 'user-agent': 'fairlead', ...headers } }).catch(
    (error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
      throw new Error(`${new URL(url).host} cannot be reached: ${cause}`, { cause: error });
    },
  );
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}

/** Fetches a small text, such as a published checksum. */
export async function downloadText(url: string): Promise<string> {
  return (await get(url)).text();
}

/**
 * Streams a file to disk and compares its SHA-256 (hex).
 * @throws Error when the host is out of reach, answers badly, or the checksum differs.
 */
export async function downloadFile(url: string, path: string, sha256: string): Promise<void> {
  const response = await get(url);
  if (!response.body) throw new Error(`${url} answered without a body`);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), hashing, createWriteStream(path));
  const actual = hash.digest('hex');
  if (actual !== sha256.toLowerCase()) throw new Error(`${url} has SHA-256 ${actual}, published is ${sha256}`);
}

interface Release {
  readonly assets?: readonly { readonly name: string; readonly digest?: string | null }[];
}

/** The SHA-256 that GitHub publishes for a release's file. @throws Error when it publishes none. */
export async function githubDigest(repository: string, tag: string, asset: string): Promise<string> {
  const response = await get(`https://api.github.com/repos/${repository}/releases/tags/${tag}`, {
    accept: 'application/vnd.github+json',
  });
  const release = (await response.json()) as Release;
  const digest = release.assets?.find(({ name }) => name === asset)?.digest;
  if (!digest?.startsWith('sha256:')) throw new Error(`${repository} ${tag} publishes no SHA-256 for ${asset}`);
  return digest.slice('sha256:'.length);
}

/** The address of a release's file on GitHub. */
export function githubAsset(repository: string, tag: string, asset: string): string {
  return `https://github.com/${repository}/releases/download/${tag}/${asset}`;
}

/** Unpacks a `.tar.gz` into a folder. */
export async function unpackTarGz(archive: string, into: string): Promise<void> {
  await runProgram('tar', ['-xzf', archive, '-C', into]);
}
