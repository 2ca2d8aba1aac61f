import { findBusAddress } from '../../notifications/desktop/bus-address.ts';
import { describeTrouble } from '../../notifications/desktop/describe-trouble.ts';
import { NotificationDaemon } from '../../notifications/desktop/notification-daemon.ts';
import { withinTime } from '../../notifications/desktop/within-time.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok } from '../finding.ts';

const answerWithinMs = 2500;

/** Checks whether notifications work, without showing one. */
export async function checkDesktop({ platform, environment }: DoctorContext): Promise<Finding[]> {
  if (platform === 'darwin' || platform === 'win32')
    return [ok('desktop', { en: 'The operating system shows notifications', zh: '通知由系统自行显示' })];
  const address = findBusAddress(environment);
  if (address === null)
    return [
      ok('desktop', {
        en: 'No session bus found: notifications are stored, but not shown',
        zh: '这里没有会话总线，通知只会保存，不会显示',
      }),
    ];
  try {
    const capabilities = await withinTime(answerWithinMs, async (signal) => {
      const daemon = await NotificationDaemon.open(address.path, signal);
      try {
        return await daemon.capabilities(signal);
      } finally {
        daemon.drop();
      }
    });
    return [
      capabilities.has('actions')
        ? ok('desktop', { en: 'Notifications work', zh: '可以显示通知' })
        : ok('desktop', { en: 'Notifications work, but without buttons', zh: '可以显示通知，但没有按钮' }),
    ];
  } catch (error) {
    const { problem, hint } = describeTrouble(error, address.path);
    const capital = problem.en.charAt(0).toUpperCase() + problem.en.slice(1);
    const what = { en: `Notifications do not work: ${capital}`, zh: `无法显示通知：${problem.zh}` };
    return [note('desktop', what, hint)];
  }
}
