import { checkSources } from '../../domain/deploys/container-file/check-sources.ts';
import type { ImagePolicy } from '../../domain/deploys/container-file/image-names.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BaseImage } from './base-images.ts';
import { externalImages } from './external-images.ts';

/**
 * Judges the ONBUILD instructions of base images as if they stood in the container file, which they become a part of.
 * @throws CONTAINER_FILE_INVALID naming image and instruction
 */
export function checkTriggers(images: readonly BaseImage[], policy: ImagePolicy): void {
  for (const { name, onBuild } of images) {
    for (const trigger of onBuild) {
      const text = `FROM scratch\n${trigger}\n`;
      const fileName = `ONBUILD of ${name}`;
      // Builders read it as a file of its own, whose first line may be a directive. They write triggers on one line.
      if (/[\r\n]/.test(trigger)) throw refused(name, `${fileName} has more than one line`);
      const { changes } = checkSources(text, { ...policy, cacheScope: '', fileName });
      if (changes.length === 0 && externalImages(text).length === 0) continue;
      const what = `${fileName}: ${trigger.slice(0, 100)} takes files from a cache or another image`;
      throw refused(name, what);
    }
  }
}

function refused(image: string, what: string): FairleadError {
  return new FairleadError('CONTAINER_FILE_INVALID', `${what}; use an image without it`, { details: { image } });
}
