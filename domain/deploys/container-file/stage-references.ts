import { expandVariables, type Variables } from './expand-variables.ts';
import type { Stage } from './stage.ts';

/** Names people give to stages and no registry gives to an image worth copying from. */
const STAGE_LIKE =
  /^(?:build(?:er|-?env)?|base|deps|dependencies|install(?:er)?|prod(?:uction)?|runner|runtime|compile(?:r)?|assets|dist|test|final|release|stage-?\d*|\d+)$/i;

/** Reads the arguments of FROM; a string is what is wrong with them. */
export function readFrom(
  content: string,
  globals: Variables,
): { readonly image: string; readonly name: string | null } | string {
  const words = content.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
  const [written, as, name] = words;
  if (written === undefined) return 'FROM names no image';
  const named = words.length === 3 && as?.toLowerCase() === 'as' && name !== undefined;
  if (words.length !== 1 && !named) return 'FROM is written FROM <image> or FROM <image> AS <name>';
  if (named && !/^[a-z][a-z0-9_.-]*$/i.test(name)) {
    return `${JSON.stringify(name)} cannot name a stage; use letters, digits, dashes, dots and underscores`;
  }
  const image = expandVariables(written, globals);
  if (image === null || image === '') {
    return `FROM ${written} uses a variable without a value; give it a default with ARG before the first FROM`;
  }
  if (!/^[\w][\w./:@-]*$/.test(image)) return `${JSON.stringify(image)} is not the name of an image`;
  return { image, name: named ? name.toLowerCase() : null };
}

/** The stage of that name or number; null when there is none. */
export function findStage(reference: string, stages: readonly Stage[]): Stage | null {
  return stages.find((stage) => stage.name === reference.toLowerCase()) ?? null;
}

/** Checks what COPY --from names and notes images from outside; a string is what is wrong with it. */
export function readCopySource(
  written: string | null,
  reading: {
    readonly stages: readonly Stage[];
    readonly images: Set<string>;
    readonly globals: Variables;
    readonly declared: ReadonlySet<string>;
  },
): string | null {
  if (written === null) return null;
  const { stages, images, globals, declared } = reading;
  // Variables of the stage are not replaced here: builders refuse them in --from.
  const reference = expandVariables(written, globals);
  if (reference === null || reference === '') return `COPY --from=${written} names no stage and no image`;
  const earlier = stages.slice(0, -1);
  if (findStage(reference, earlier) !== null || Number(reference) < earlier.length) return null;
  if (findStage(reference, stages) !== null) return `COPY --from=${reference} copies from its own stage`;
  if (declared.has(reference.toLowerCase())) return `COPY --from=${reference} names a stage that begins only later`;
  if (STAGE_LIKE.test(reference)) {
    const known = earlier.map((stage, index) => stage.name ?? String(index)).join(', ');
    const remedy = known === '' ? 'no stage stands before this one' : `the stages before this one are ${known}`;
    return `COPY --from=${reference} names a stage that does not exist there; ${remedy}`;
  }
  images.add(reference);
  return null;
}
