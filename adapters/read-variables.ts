import { z } from 'zod';
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

/** Parses one variable. @throws VALIDATION_FAILED naming it, never its value */
export function readVariable<T extends z.ZodType>(name: string, kind: T, source: EnvSource): z.infer<T> {
  return readVariables(z.object({ [name]: kind }), source)[name] as z.infer<T>;
}

interface BadVariable {
  readonly variable: string;
  readonly message: string;
}

function badVariables(problems: readonly BadVariable[]): FairleadError {
  const list = problems.map(({ variable, message }) => `  ${variable}: ${message}`).join('\n');
  return new FairleadError('VALIDATION_FAILED', `Environment variables to correct:\n${list}`, { details: problems });
}

type Readers = Readonly<Record<string, () => unknown>>;

/** Runs several readers and reports what is bad for any of them at once. @throws VALIDATION_FAILED */
export function readTogether<T extends Readers>(readers: T): { [Name in keyof T]: ReturnType<T[Name]> } {
  const problems = new Map<string, BadVariable>();
  const values = Object.entries(readers).flatMap(([name, reader]) => {
    try {
      return [[name, reader()]];
    } catch (error) {
      if (!(error instanceof FairleadError) || !Array.isArray(error.details)) throw error;
      for (const problem of error.details as BadVariable[]) problems.set(problem.variable, problem);
      return [];
    }
  });
  if (problems.size > 0) throw badVariables([...problems.values()]);
  return Object.fromEntries(values);
}
