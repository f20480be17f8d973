/** Lines are read up to here: a program may print long ones to keep the worker busy. */
const MOST_CHARACTERS = 500;

/** What tools put before the lines of a program: `[11ty]`, or pm2's time, number and name. */
const PREFIX = '(?:\\[[\\w.:-]{1,40}\\]|[\\dT:.Z-]{0,40} ?\\d{1,6}\\|[\\w.-]{1,40}\\s{0,20}\\|)?';
/** A line of a stack: `    at run (file.js:1:2)`. */
const FRAME = new RegExp(`^${PREFIX}\\s+at \\S`);

/** What names an error, or says that something failed. */
const ERROR =
  /(?:^|[\s[({|])(?:[A-Z]\w{0,80})?(?:Error|Exception)(?: \[[\w-]{1,80}\])?: \S|^\W{0,12}(?:error|fatal|panic)\b[\]:! ]|^npm (?:error|ERR!) |\berror TS\d+:|Failed to compile|(?:Cannot|Can't|Could not) (?:find|resolve|load|open|connect)\b|: not found$/i;

/** Lines of package managers that end every failure, whatever its cause. */
const CLOSING =
  /^(?:npm (?:error|ERR!)|error)\s+(?:code|errno|syscall|path|command|A complete log|Lifecycle script|workspace|location)\b|^error Command failed with exit code|ELIFECYCLE/;

/** True for a line by which a person finds a cause: it names an error, and is not of the stack below it. */
export function namesError(line: string): boolean {
  const text = line.slice(0, MOST_CHARACTERS);
  return ERROR.test(text) && !FRAME.test(text) && !CLOSING.test(text);
}

/** True for a line of a stack, which tells where and not what. */
export function isStackFrame(line: string): boolean {
  return FRAME.test(line.slice(0, MOST_CHARACTERS));
}
