import { text } from 'node:stream/consumers';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToRegistry } from '../registry-api.ts';
import { packageReply } from '../registry-replies.ts';

/** `fairlead registry publish <package>@<version>`: the notes from stdin. What was published stays. */
export async function publishPackage(context: CliContext, entry: string): Promise<number> {
  const { output, terminal } = context;
  // The first character may be the @ of a scope.
  if (entry.lastIndexOf('@') < 1) throw usageFailure(`${entry} names no version.`, 'Write <package>@<version>.');
  const remedy = `Pipe them in: \`fairlead registry publish ${entry} < notes.md\``;
  if (terminal.stdin.isTTY === true) throw usageFailure('The notes are read from stdin.', remedy);
  const notes = (await text(terminal.stdin)).trim();
  if (notes === '') throw usageFailure('There are no notes on stdin.', remedy);
  const published = await connectToRegistry(context).call(packageReply, {
    method: 'PUT',
    path: pathOf('v1', 'package-changelogs', entry),
    body: { notes },
  });
  output.document(published);
  const name = `${published.package}@${published.version}`;
  output.print(output.quiet ? name : `Published the changelog of ${name}. Services may upgrade to it.`);
  return exitCode('ok');
}
