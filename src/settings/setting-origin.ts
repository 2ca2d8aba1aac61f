/** The source of a value: the path of a file, or the name of a variable or flag. */
export interface SettingOrigin {
  readonly kind: 'file' | 'environment' | 'flag';
  readonly name: string;
}
