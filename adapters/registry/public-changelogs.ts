import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { changelogViewSchema } from '../../domain/registry/schema.ts';
import type { ChangelogSource } from '../../domain/status-page/ports.ts';

/** Notes have at most 20,000 characters. */
const MOST_BYTES = 256 * 1024;
const reply = z.object({ success: z.literal(true), data: changelogViewSchema });

/** Changelogs of services as the service registry shows them to everybody. @param url its base address */
export function createPublicChangelogs({ url }: { readonly url: string }): ChangelogSource {
  return {
    async find(service, signal) {
      const response = await fetch(`${url}/api/plugins/${encodeURIComponent(service)}/changelog`, {
        redirect: 'error',
        signal,
      }).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw unavailable(cause);
      });
      if (response.status === 404) {
        await response.body?.cancel();
        return null;
      }
      const { data: found } = reply.safeParse(parseJson(await readText(response)));
      if (!response.ok || found === undefined) throw unavailable();
      const { notes, version, deployedAt, walkthroughUrl } = found.data;
      return { service, notes, version, deployedAt: new Date(deployedAt), walkthroughUrl };
    },
  };
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) return '';
  }
  return text;
}

function unavailable(cause?: unknown): FairleadError {
  const message = 'The service registry does not answer with changelogs.';
  return new FairleadError('UNAVAILABLE', message, { system: 'registry', retryable: true, cause });
}
