import { DockerfileParser, From } from 'dockerfile-ast';
import { ImageVariables } from '../../domain/deploys/container-file/image-variables.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BaseImage } from './base-images.ts';

/** Variables that builders set to the platform they build on, or for. Without `--platform` these are the same. */
const OWN_PLATFORM = /^\$(?:\{(?:BUILD|TARGET)PLATFORM\}|(?:BUILD|TARGET)PLATFORM)$/;
const GIVEN_BY_FILE = /^\s*(?:BUILD|TARGET)PLATFORM\s*=|\s(?:BUILD|TARGET)PLATFORM=/;

/**
 * Refuses images of other platforms than the engine's. Builders take the image in the engine, which is the one whose
 * triggers were judged, only when its platform is the wanted one. Otherwise they pull another, which nobody has judged.
 *
 * @param wanted platform of the engine, as `linux/amd64`
 * @throws CONTAINER_FILE_INVALID
 */
export function checkPlatforms(containerFile: string, images: readonly BaseImage[], wanted: string): void {
  const file = DockerfileParser.parse(containerFile);
  const variables = new ImageVariables();
  const args = file.getInitialARGs().map((arg) => arg.getArgumentsContent() ?? '');
  for (const arg of args) variables.note(arg);
  const isOwn = (written: string): boolean =>
    OWN_PLATFORM.test(written) ? !args.some((arg) => GIVEN_BY_FILE.test(arg)) : variables.expand(written) === wanted;
  for (const instruction of file.getInstructions()) {
    if (!(instruction instanceof From)) continue;
    for (const flag of instruction.getFlags()) {
      const written = flag.getValue() ?? '';
      if (flag.getName().toLowerCase() === 'platform' && isOwn(written)) continue;
      const line = instruction.getRange().start.line + 1;
      throw refused(
        `line ${line}: FROM --${flag.getName()}=${written.slice(0, 100)}: builds are for ${wanted}; remove it`,
      );
    }
  }
  for (const { name, platform } of images) {
    if (platform !== wanted) throw refused(`image ${name} is for ${platform}, and builds are for ${wanted}`);
  }
}

const refused = (text: string): FairleadError =>
  new FairleadError('CONTAINER_FILE_INVALID', `The container file cannot be built: ${text}`);
