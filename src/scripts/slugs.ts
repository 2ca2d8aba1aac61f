import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';
import type { Script } from './script.ts';
import { hasChinese, isUuid, slugFrom } from './slug.ts';
import type { SlugEntry, SlugStore } from './slug-store.ts';

interface SlugsOptions {
  catalogue: Pick<Catalogue, 'version' | 'scripts' | 'has' | 'isPackaged' | 'lookForNew'>;
  store: SlugStore;
  /** Replaces the Chinese characters of each name with their pinyin. */
  romanize: (names: readonly string[]) => Promise<readonly string[]>;
  log: Logger;
}

const idDigits = 8;

/**
 * The slug of each script: a short name for commands and addresses. A script gets its slug once and keeps it when it is renamed. A slug that
 * its script no longer uses, or whose script was removed, still belongs to that script until another one takes it.
 */
export class Slugs {
  readonly #options: SlugsOptions;
  readonly #bySlug = new Map<string, SlugEntry>();
  /** The current slug of each script, by id. */
  readonly #byScript = new Map<string, SlugEntry>();
  #isLoaded = false;
  /** The version of the catalogue whose scripts all have a slug. */
  #version = -1;
  #updating: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: SlugsOptions) {
    this.#options = options;
  }

  /** Assigns slugs to new scripts. Does not reject: after a failure, the next call tries again. */
  update(): Promise<void> {
    if (this.#version === this.#options.catalogue.version) return Promise.resolve();
    this.#updating ??= this.#assignAll().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** The slug of a script as of the last update. */
  of(scriptId: string): string {
    return this.#byScript.get(scriptId)?.slug ?? scriptId.slice(0, idDigits);
  }

  /** The id of the script with this id or slug; null if no script has the slug. */
  async find(idOrSlug: string): Promise<string | null> {
    const text = idOrSlug.toLowerCase();
    if (isUuid(text)) return text;
    await this.update();
    const known = this.#bySlug.get(text);
    if (known !== undefined) return known.scriptId;
    // The folder of a new script may not have been noticed yet.
    await this.#options.catalogue.lookForNew();
    await this.update();
    return this.#bySlug.get(text)?.scriptId ?? null;
  }

  async #assignAll(): Promise<void> {
    const { catalogue, store, log } = this.#options;
    try {
      if (!this.#isLoaded) this.#remember(store.all());
      this.#isLoaded = true;
      const pinyin = new Map<string, string>();
      while (this.#version !== catalogue.version) {
        const scripts = this.#withoutSlug();
        const chinese = scripts
          .filter(({ wantedSlug, name }) => wantedSlug === null && hasChinese(name) && !pinyin.has(name))
          .map(({ name }) => name);
        // The catalogue may change during the conversion, so the next round looks again.
        if (chinese.length > 0) await this.#romanize(chinese, pinyin);
        // A script of the user may have taken the slug of a package, which needs another one in the next round.
        else if (scripts.length > 0) this.#assign(scripts, pinyin);
        else this.#version = catalogue.version;
      }
      this.#hasFailed = false;
    } catch (error) {
      // Scripts must be listed even if the disk is full. One line in the log is enough until a write succeeds.
      if (!this.#hasFailed) log.error({ err: error }, 'cannot store the slugs of scripts');
      this.#hasFailed = true;
    }
  }

  async #romanize(names: readonly string[], pinyin: Map<string, string>): Promise<void> {
    const { romanize, log } = this.#options;
    const texts = await romanize(names).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot convert Chinese names to pinyin');
      return names;
    });
    for (const [index, name] of names.entries()) pinyin.set(name, texts[index] ?? name);
  }

  /** The scripts that need a slug. Scripts of the user come first, then declared slugs. The ids make the order the same on every machine. */
  #withoutSlug(): Script[] {
    const rankOf = (script: Script) => (this.#isOwn(script) ? 0 : 2) + (script.wantedSlug === null ? 1 : 0);
    const scripts = this.#options.catalogue
      .scripts()
      .sort((one, other) => rankOf(one) - rankOf(other) || (one.id < other.id ? -1 : 1));
    // Two folders may contain the same script.
    const seen = new Set<string>();
    return scripts.filter((script) => {
      if (seen.has(script.id)) return false;
      seen.add(script.id);
      const current = this.#byScript.get(script.id);
      return current === undefined || current.isOwn !== this.#isOwn(script) || isOtherSlug(script, current);
    });
  }

  #assign(scripts: readonly Script[], pinyin: ReadonlyMap<string, string>): void {
    const changes = new Map<string, SlugEntry>();
    const holderOf = (slug: string) => changes.get(slug) ?? this.#bySlug.get(slug);
    for (const script of scripts) {
      const { id, name, wantedSlug } = script;
      const isOwn = this.#isOwn(script);
      const former = this.#byScript.get(id);
      const hasFormer = former !== undefined && holderOf(former.slug)?.scriptId === id;
      if (hasFormer && !isOtherSlug(script, former)) {
        // Only its folder changed, from the user to a package or back.
        changes.set(former.slug, { ...former, isOwn });
        continue;
      }
      const base = wantedSlug ?? slugFrom(pinyin.get(name) ?? name) ?? id.slice(0, idDigits);
      let slug = base;
      for (let number = 2; !this.#mayTake(script, holderOf(slug), number > 2); number++)
        slug = `${base}-${number}`;
      if (hasFormer) changes.set(former.slug, { ...former, isCurrent: false });
      changes.set(slug, { slug, scriptId: id, isCurrent: true, isOwn, declared: wantedSlug });
    }
    this.#options.store.put([...changes.values()]);
    this.#remember(changes.values());
  }

  /**
   * A slug that is not in use may be taken. A script of the user takes its slug, without a number, even from a package that uses it. A package
   * never takes a slug of a script of the user, not even of a removed one.
   */
  #mayTake(script: Script, holder: SlugEntry | undefined, isNumbered: boolean): boolean {
    if (holder === undefined || holder.scriptId === script.id) return true;
    const isOwn = this.#isOwn(script);
    if (isOwn && !holder.isOwn && !isNumbered) return true;
    if (holder.isOwn && !isOwn) return false;
    return !holder.isCurrent || !this.#options.catalogue.has(holder.scriptId);
  }

  #isOwn({ folder }: Script): boolean {
    return !this.#options.catalogue.isPackaged(folder);
  }

  #remember(entries: Iterable<SlugEntry>): void {
    for (const entry of entries) {
      const previous = this.#bySlug.get(entry.slug);
      this.#bySlug.set(entry.slug, entry);
      if (previous !== undefined && this.#byScript.get(previous.scriptId) === previous)
        this.#byScript.delete(previous.scriptId);
      if (entry.isCurrent) this.#byScript.set(entry.scriptId, entry);
    }
  }
}

/** Whether the manifest asks for another slug than before. A manifest without one keeps what the script has. */
function isOtherSlug({ wantedSlug }: Script, { declared }: SlugEntry): boolean {
  return wantedSlug !== null && wantedSlug !== declared;
}
