/** The native part of the package, without the classes around it. */
declare module '@lydell/node-pty/requireBinary.js' {
  interface NativePseudoTerminals {
    open(columns: number, rows: number): { master: number; slave: number; pty: string };
    resize(master: number, columns: number, rows: number): void;
  }
  export function requireBinary(file: 'pty.node'): NativePseudoTerminals;
}
