import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { BaseImages } from './base-images.ts';

/** Any image with node and a shell. */
const RELAY_IMAGE = 'node:24-alpine';

/**
 * The image of the platform's own containers, in the engine when it is answered. A build's log has the progress, which
 * may take a minute the first time, and no warnings: they would be about an image that its author did not name.
 * @throws as {@link BaseImages.ensure}
 */
export function createRelayImage(baseImages: BaseImages): (context: EffectContext) => Promise<string> {
  return async ({ signal, onLine }) => {
    const progress: EffectContext['onLine'] = (line, level) => {
      if (level !== 'warn') onLine(line, level);
    };
    await baseImages.ensure([RELAY_IMAGE], { signal, onLine: progress });
    return RELAY_IMAGE;
  };
}
