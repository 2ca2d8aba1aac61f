import { delimiter, dirname } from 'node:path';

/**
 * Variables that make a tool install elsewhere, use another source or omit packages. Variables that only affect package sources,
 * connections and install scripts belong to the user and stay.
 */
const misleading = new Set([
  'pythonpath',
  'pythonhome',
  'pythonstartup',
  'virtual_env',
  'conda_prefix',
  'conda_default_env',
  'pip_require_virtualenv',
  'pip_python',
  'pip_target',
  'pip_user',
  'pip_prefix',
  'pip_root',
  'pip_requirement',
  'pip_editable',
  'pip_src',
  'pip_dry_run',
  'pip_report',
  'uv_python',
  'uv_system_python',
  'uv_project',
  'uv_project_environment',
  'uv_working_directory',
  'uv_venv_clear',
  'npm_config_prefix',
  'npm_config_local_prefix',
  'npm_config_global',
  'npm_config_location',
  'npm_config_dry_run',
  'npm_config_omit',
  'npm_config_include',
  'npm_config_only',
  'npm_config_production',
  'npm_config_package_lock_only',
  'npm_config_workspace',
  'npm_config_workspaces',
  'npm_config_install_links',
  'node_env',
  'node_options',
]);

/** The environment of the user, adapted for the tools of this interpreter. */
export function toolEnvironment(given: NodeJS.ProcessEnv, interpreter: string): NodeJS.ProcessEnv {
  const kept = Object.entries(given).filter(([name]) => !misleading.has(name.toLowerCase()));
  const env: NodeJS.ProcessEnv = Object.fromEntries(kept);
  // Install scripts must find the interpreter for which the package is installed.
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[path] = [dirname(interpreter), env[path]].filter(Boolean).join(delimiter);
  return { ...env, PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };
}
