/** How many callers the suites let loose at the same moment. */
export const CALLERS = 50;

/** Runs an attempt by 50 callers at once. @returns what each got, in their order. */
export function atOnce<T>(attempt: (caller: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CALLERS }, (_, caller) => attempt(caller)));
}

/** How many of 50 callers at once got what they asked for: neither false nor null. */
export async function winners(attempt: (caller: number) => Promise<unknown>): Promise<number> {
  const results = await atOnce(attempt);
  return results.filter((result) => result !== false && result !== null).length;
}

/** How many of 50 callers at once were refused with a code; any other error is thrown. */
export async function refusals(code: string, attempt: (caller: number) => Promise<unknown>): Promise<number> {
  const results = await atOnce(async (caller) => {
    try {
      await attempt(caller);
      return false;
    } catch (error) {
      if ((error as { code?: string }).code !== code) throw error;
      return true;
    }
  });
  return results.filter(Boolean).length;
}

/** Strings that would be operators, paths or prototypes where one is taken for more than a value. */
export const HOSTILE = ['$gt', '$where', '{"$ne":null}', 'a.b', '__proto__', 'constructor', '', '.*', '$', 'a\u0000b'];
