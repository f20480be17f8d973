import { calledScript, calledScripts } from './called-scripts.ts';
import { type Command, withoutVariables } from './command-chain.ts';
import { expandScript } from './expand-scripts.ts';

/** So many scripts starts no app with: each comes to a bounded number of commands, of which each may run more. */
const MAX_SCRIPTS = 40;

/** The commands, and those of the scripts that any of them runs by name, side by side or one after the other. */
export function reachedCommands(
  commands: readonly Command[],
  scripts: Readonly<Record<string, string>>,
): readonly Command[] {
  const reached = [...commands];
  const seen = new Set<string>();
  // Grows while it is gone through; each script is added once.
  for (const { words } of reached) {
    for (const name of namesIn(withoutVariables(words), scripts)) {
      if (seen.has(name) || seen.size >= MAX_SCRIPTS) continue;
      seen.add(name);
      reached.push(...(expandScript(name, scripts) ?? []));
    }
  }
  return reached;
}

function namesIn(words: readonly string[], scripts: Readonly<Record<string, string>>): readonly string[] {
  const one = calledScript(words, scripts);
  const called = one === null ? (calledScripts(words, scripts)?.scripts ?? []) : [one];
  return called.map(({ name }) => name);
}
