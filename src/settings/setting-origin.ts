/** Where a value comes from: the path of the file, the variable or the flag that has it. */
export interface SettingOrigin {
  readonly kind: 'file' | 'environment' | 'flag';
  readonly name: string;
}
