import { isJsonObject } from '../../shared/json.ts';
import { askInBothLanguages } from '../ask-service.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Results } from '../finding.ts';

/** Checks whether notifications arrive at the URL of the user, without sending one. Only the service knows what became of the last. */
export async function checkOutgoing(context: DoctorContext, signal: AbortSignal): Promise<Results> {
  const { service, settings } = context;
  const { notify_url: url } = settings;
  if (service === null) {
    if (url === '') return [];
    const { origin } = new URL(url);
    return ok({
      en: `Hob also sends notifications to ${origin} when it runs`,
      zh: `Hob 运行时也会将通知发送到 ${origin}`,
    });
  }
  const answers = await askInBothLanguages('/api/notifications/outgoing', context, signal);
  // checkService reports a service that does not respond. Older services do not know the path.
  if (answers === null) return [];
  const [english, chinese] = answers;
  const { origin } = english;
  if (origin === null || origin === undefined) {
    if (url === '') return [];
    return note(
      {
        en: 'Hob does not send notifications to notify_url yet',
        zh: 'Hob 尚未将通知发送到 notify_url',
      },
      {
        en: 'The service reads its settings when it starts: hob stop, then hob start',
        zh: '服务启动时才读取设置：先 hob stop，再 hob start',
      },
    );
  }
  const [last, lastInChinese] = [english.last, chinese.last];
  if (!isJsonObject(last) || !isJsonObject(lastInChinese))
    return ok({
      en: `Hob also sends notifications to ${origin}. To try it: hob notify --test`,
      zh: `Hob 也将通知发送到 ${origin}。可用 hob notify --test 测试`,
    });
  if (last.delivered === true)
    return ok({
      en: `The last notification to ${origin} was delivered`,
      zh: `最近一条通知已送达 ${origin}`,
    });
  return problem(
    {
      en: `Notifications are not delivered to ${origin}: ${last.problem}`,
      zh: `通知无法送达 ${origin}：${lastInChinese.problem}`,
    },
    {
      en: `${last.hint} To try again: hob notify --test`,
      zh: `${lastInChinese.hint}然后用 hob notify --test 再试一次。`,
    },
  );
}
