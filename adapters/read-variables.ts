import type { z } from 'zod';
import { FairleadError } from '../domain/errors.ts';

export type EnvSource = Readonly<Record<string, string | undefined>>;

/** Parses the variables a schema names. @throws VALIDATION_FAILED listing every bad one, never a value */
export function readVariables<T extends z.ZodObject>(schema: T, source: EnvSource): z.infer<T> {
  // An empty variable means "not set", as in shells and compose files.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw badVariables(result.error.issues.map((issue) => ({ variable: issue.path.join('.'), message: issue.message })));
}

interface BadVariable {
  readonly variable: string;
  readonly message: string;
}

function badVariables(problems: readonly BadVariable[]): FairleadError {
  const list = problems.map(({ variable, message }) => `  ${variable}: ${message}`).join('\n');
  return new FairleadError('VALIDATION_FAILED', `Environment variables to correct:\n${list}`, { details: problems });
}

/** Runs several readers and reports what is bad for any of them at once. @throws VALIDATION_FAILED */
export function readTogether<T>(readers: readonly (() => T)[]): T[] {
  const problems = new Map<string, BadVariable>();
  const values = readers.flatMap((reader) => {
    try {
      return [reader()];
    } catch (error) {
      if (!(error instanceof FairleadError) || !Array.isArray(error.details)) throw error;
      for (const problem of error.details as BadVariable[]) problems.set(problem.variable, problem);
      return [];
    }
  });
  if (problems.size > 0) throw badVariables([...problems.values()]);
  return values;
}
