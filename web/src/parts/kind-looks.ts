import { CircleAlert, CircleCheck, Info } from 'lucide-react';

/** How messages of each kind look, wherever they are shown. */
export const kindLooks = {
  success: { icon: CircleCheck, ink: 'text-good' },
  error: { icon: CircleAlert, ink: 'text-bad' },
  info: { icon: Info, ink: 'text-busy' },
} as const;
