import { DockerfileParser, type Instruction, ModifiableInstruction } from 'dockerfile-ast';
import { ImageVariables } from '../../domain/deploys/container-file/image-variables.ts';

/**
 * The images a container file takes from outside: those of FROM, `COPY --from` and `RUN --mount=from` that are neither
 * a stage of the file nor `scratch`. Variables take the defaults of the ARGs before the first FROM; a name with a
 * variable that has none is left out, and the build itself reports it.
 */
export function externalImages(containerFile: string): readonly string[] {
  const file = DockerfileParser.parse(containerFile);
  const variables = new ImageVariables();
  for (const arg of file.getInitialARGs()) variables.note(arg.getArgumentsContent() ?? '');
  const stages = new Set<string>();
  const images = new Set<string>();
  const add = (written: string | null): void => {
    const name = variables.expand(written ?? '').replace(/^(["'])(.*)\1$/, '$2');
    if (name === '' || name === 'scratch' || name.includes('$')) return;
    if (stages.has(name.toLowerCase()) || /^\d+$/.test(name)) return;
    images.add(name);
  };
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const { image, stage } = readFrom(instruction.getRawArgumentsContent() ?? '');
      add(image);
      if (stage !== null) stages.add(stage.toLowerCase());
    } else if (keyword === 'COPY' || keyword === 'RUN') {
      for (const name of fromFlags(instruction)) add(name);
    }
  }
  return [...images];
}

function readFrom(text: string): { image: string | null; stage: string | null } {
  const words = text.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
  const [image = null, as, stage = null] = words;
  return { image, stage: as?.toLowerCase() === 'as' ? stage : null };
}

/** Values of `--from=x` and of `--mount=…,from=x`. */
function fromFlags(instruction: Instruction): string[] {
  if (!(instruction instanceof ModifiableInstruction)) return [];
  return instruction.getFlags().flatMap((flag) => {
    const [name, value] = [flag.getName().toLowerCase(), flag.getValue() ?? ''];
    if (name === 'from') return [value];
    const sources =
      name === 'mount' ? value.split(',').map((part) => /^\s*from\s*=(.*)$/i.exec(part)?.[1]?.trim()) : [];
    return sources.filter((source) => source !== undefined);
  });
}
