import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Content codings of RFC 9110, which some servers use although nobody asked for one. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The first bytes of a body as text, decoded. What comes after them is not read: an endless body and one that unpacks to a
 * large one end there.
 * @returns null for a coding that is not read, or a body that is none of its coding
 */
export async function readStart(
  body: Readable,
  { encoding, most }: { readonly encoding: string | null; readonly most: number },
): Promise<string | null> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  const isPlain = name === '' || name === 'identity';
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (!isPlain && decoder === undefined) return null;
  const decoded = decoder === undefined ? body : pipeline(body, decoder(), () => undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch (error) {
    if (decoder !== undefined && isDecodingError(error)) return null;
    throw error;
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}

function isDecodingError(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING)/.test(String(error.code))
  );
}
