/** An instruction that matters later, with its place; lines and columns count from 0 as the parser has them. */
export interface PlacedInstruction {
  readonly line: number;
  readonly arguments: string;
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export interface Stage {
  readonly name: string | null;
  /** The image as FROM names it, variables replaced. */
  readonly image: string;
  /** The earlier stage it builds on; null when it builds on an image from outside. */
  readonly parent: Stage | null;
  readonly line: number;
  /** Its last USER, with the value after variables are replaced: null when a variable has no default. */
  user: (PlacedInstruction & { readonly value: string | null }) | null;
  /** True when it runs a line in a shell before it sets a user: so there is a shell, and mostly root. */
  hasShell: boolean;
  entrypoint: PlacedInstruction | null;
  cmd: PlacedInstruction | null;
  /** Ports of EXPOSE, in order. */
  readonly ports: number[];
  readonly variables: Map<string, string>;
  /** The variables that are inherited by a stage built on this one. */
  readonly environment: Map<string, string>;
}
