import { z } from 'zod';
import { STEPS } from './steps.ts';

/**
 * What steps found out and made, handed from step to step: plain JSON, at most a few kilobytes. Each step declares what
 * it gives in its own definition; this is all of it together.
 */

type Gives = (typeof STEPS)[number]['gives'];
type UnionToIntersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type FactsShape = UnionToIntersection<Gives>;

export type FactName = keyof FactsShape;

export type BuildFacts = { readonly [N in FactName]?: z.output<Extract<FactsShape[N], z.ZodType>> };

const SHAPES: Readonly<Record<string, z.ZodType>> = Object.assign({}, ...STEPS.map(({ gives }) => gives));

/**
 * Reads facts that were stored, perhaps by another version: a fact of a shape that this version does not know is left
 * out, so that the step that needs it says so and a retry makes it again; one of an unknown name is kept for the version
 * that knows it.
 */
export const storedFactsSchema = z.looseObject({}).transform((stored): BuildFacts => {
  const known = Object.entries(stored).flatMap(([name, value]) => {
    const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
    if (shape === undefined) return [[name, value] as const];
    const parsed = shape.safeParse(value);
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return Object.fromEntries(known);
});
