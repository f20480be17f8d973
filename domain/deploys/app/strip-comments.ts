/** A text in quotes, a comment, or what is neither. An unclosed quote ends with its line, a backtick or a comment with the text. */
const TOKEN =
  /"(?:[^"\\\n]|\\.)*(?:"|$|(?=\n))|'(?:[^'\\\n]|\\.)*(?:'|$|(?=\n))|`(?:[^`\\]|\\[\s\S])*(?:`|$)|(\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*)|[^"'`/]+|[\s\S]/gy;

/** A settings file in JavaScript without its comments; texts in quotes stay as they are. Takes time in proportion to its length. */
export function stripComments(text: string): string {
  let kept = '';
  for (const [token, comment] of text.matchAll(TOKEN)) if (comment === undefined) kept += token;
  return kept;
}
