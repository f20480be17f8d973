export type Variables = ReadonlyMap<string, string>;

/** Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}`; null when a variable has no value. */
export function expandVariables(text: string, variables: Variables): string | null {
  let complete = true;
  const expanded = text.replace(
    /\$(?:\{(\w+)(?:(:?[-+])([^{}]*))?\}|(\w+))/g,
    (
      _whole,
      braced: string | undefined,
      operator: string | undefined,
      word: string | undefined,
      bare: string | undefined,
    ) => {
      const value = variables.get(braced ?? bare ?? '');
      const isSet = value !== undefined && (value !== '' || !operator?.startsWith(':'));
      if (operator?.endsWith('+')) return isSet ? (word ?? '') : '';
      if (isSet) return value;
      if (word === undefined) complete = false;
      return word ?? '';
    },
  );
  return complete ? expanded.replace(/^(["'])(.*)\1$/, '$2') : null;
}
