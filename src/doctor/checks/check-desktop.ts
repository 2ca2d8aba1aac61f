import { findBusAddress } from '../../notifications/desktop/bus-address.ts';
import { describeTrouble } from '../../notifications/desktop/describe-trouble.ts';
import { NotificationDaemon } from '../../notifications/desktop/notification-daemon.ts';
import { withinTime } from '../../notifications/desktop/within-time.ts';
import { type Finding, note, ok } from '../finding.ts';
import type { Patient } from '../patient.ts';

const answerWithinMs = 2500;

/** Whether bubbles can be shown, without showing one. */
export async function checkDesktop({ platform, environment }: Patient): Promise<Finding[]> {
  if (platform === 'darwin' || platform === 'win32')
    return [ok('desktop', 'Notifications are shown by the system itself')];
  const address = findBusAddress(environment);
  if (address === null)
    return [ok('desktop', 'There is no session bus here, so notifications are kept and not shown')];
  try {
    const capabilities = await withinTime(answerWithinMs, async (signal) => {
      const daemon = await NotificationDaemon.open(address.path, signal);
      try {
        return await daemon.capabilities(signal);
      } finally {
        daemon.drop();
      }
    });
    const buttons = capabilities.has('actions') ? '' : ', without buttons';
    return [ok('desktop', `Notifications are shown${buttons}`)];
  } catch (error) {
    const { problem, hint } = describeTrouble(error, address.path);
    const capital = problem.charAt(0).toUpperCase() + problem.slice(1);
    return [note('desktop', `Notifications are not shown: ${capital}`, hint)];
  }
}
