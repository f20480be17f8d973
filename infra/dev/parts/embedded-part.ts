import type { ChildSpec } from '../child-process.ts';
import type { Env } from '../project.ts';
import type { Reporter } from '../terminal.ts';
import type { ResolvedTool, Tool } from '../tools/resolve-tool.ts';

/** A port that a program of the stack listens on. */
export interface PortRow {
  readonly usual: number;
  /** Changes it. */
  readonly variable: string;
  /** As in "port 7233 for Temporal is in use". */
  readonly title: string;
}

/** What a part is described with: its stack. */
export interface PartContext<Port extends string = string> {
  readonly dataDir: string;
  readonly ports: Readonly<Record<Port, number>>;
  /** A secret of the stack, by its name in `secrets.json`. @throws RangeError when there is none of that name */
  readonly secret: (name: string) => string;
  readonly env: Env;
  readonly report: Reporter;
}

/** A variable by which processes of the platform find the part. */
export interface ProvidedVariable<Port extends string = string> {
  readonly variable: string;
  /** `worker`: no HTTP service ever holds it. */
  readonly heldBy: 'every process' | 'worker';
  /**
   * Asked for at the start of the stack, also where the part starts on first need. Undefined where the part cannot be had:
   * then processes are told of none.
   */
  value(context: PartContext<Port>): string | undefined | Promise<string | undefined>;
}

/** One row of the table of embedded parts: a server that runs beside the platform until production brings its own. */
export interface EmbeddedPart<Name extends string = string, Port extends string = string> {
  readonly name: Name;
  readonly title: string;
  /** Programs that can be the part, in the order of preference: the first that can be had is. */
  readonly tools: readonly [Tool, ...Tool[]];
  /** The tool whose data this stack holds already, where one cannot read the data of another. */
  keptTool?(dataDir: string): string | undefined;
  readonly ports: Readonly<Record<Port, PortRow>>;
  /** Folder in the data folder. */
  readonly folder: string;
  /** Made at the first start of the stack and kept in `secrets.json`: 32 random bytes each, in base64url. */
  readonly secrets: readonly string[];
  /** Names the production server: the part is off when it is set. */
  readonly replacedBy: string;
  /** Variables that say more about the production server. */
  readonly replacedWith: readonly string[];
  /** `on first need`: when a process of the platform asks for it, see `adapters/process/embedded-parts.ts`. */
  readonly starts: 'always' | 'on first need';
  readonly provides: readonly ProvidedVariable<Port>[];
  /** What the part is called and where it answers, for people: its own name first. Without credentials. */
  addresses(ports: Readonly<Record<Port, number>>): Readonly<Record<string, string>>;
  /**
   * By which a person opens it, as rows of name and value. `fairlead credentials` prints them on request; nothing else
   * may.
   */
  credentials(context: PartContext<Port>): Readonly<Record<string, string>>;
  /** What people see of the production server; null: nothing. By default what the variable says, without credentials. */
  addressOutside?(value: string): string | null;
  /**
   * Its programs, readiness included; each listens on the loopback alone. None where the part is a tool that processes of
   * the platform run themselves: then it is made ready here.
   */
  children(tool: ResolvedTool, context: PartContext<Port>): readonly ChildSpec[] | Promise<readonly ChildSpec[]>;
}

/** Keeps the names of a part and its ports as they are written, so that a wrong one is an error of types. */
export function definePart<const Name extends string, const Port extends string>(
  part: EmbeddedPart<Name, Port>,
): EmbeddedPart<Name, Port> {
  return part;
}
