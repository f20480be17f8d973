import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import type { EnsurePart, PartReply, PartRequest } from '../../adapters/process/embedded-parts.ts';

import { errorLine } from './terminal.ts';

const requestSchema: z.ZodType<PartRequest> = z.object({
  kind: z.literal('ensure-part'),
  id: z.string(),
  part: z.string(),
});

/** Answers what a process of the platform asks about parts, over the channel that it was started with. */
export function answerPartRequests(child: ChildProcess, ensurePart: EnsurePart): void {
  child.on('message', (message) => {
    const request = requestSchema.safeParse(message);
    if (!request.success) return;
    const { id, part } = request.data;
    const answer = (error: string | null): void => {
      const reply: PartReply = { kind: 'part', id, error };
      // It may have ended meanwhile: nobody waits for the answer then.
      if (child.connected) child.send(reply, () => undefined);
    };
    ensurePart(part).then(
      () => answer(null),
      (error) => answer(errorLine(error)),
    );
  });
}
