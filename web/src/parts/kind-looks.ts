import { CircleAlert, CircleCheck, Info } from 'lucide-react';

/** Icon and colour for each kind of message. */
export const kindLooks = {
  success: { icon: CircleCheck, ink: 'text-good' },
  error: { icon: CircleAlert, ink: 'text-bad' },
  info: { icon: Info, ink: 'text-busy' },
} as const;
