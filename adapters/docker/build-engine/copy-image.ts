import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { inspectImage } from '../inspect-image.ts';
import { followProgress } from '../progress.ts';

/** Copies an image to another engine under the same name, unless that one has it. No error when the first has none. */
export async function copyImage(
  name: string,
  { from, to }: { readonly from: Docker; readonly to: Docker },
  signal: AbortSignal,
): Promise<void> {
  const [wanted, present] = await Promise.all([inspectImage(from, name), inspectImage(to, name)]);
  if (wanted === null || wanted.Id === present?.Id) return;
  const upload = new PassThrough();
  const sent = pipeline(await from.getImage(name).get(), upload, { signal });
  const loaded = to
    .loadImage(upload, { abortSignal: signal })
    .then((progress) => followProgress(progress, signal, () => undefined));
  try {
    await Promise.all([sent, loaded]);
  } finally {
    upload.destroy();
  }
}
