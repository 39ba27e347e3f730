  // ---- the verdict, in the words of the library
  const amount = (saving) => {
    const cases = volume();
    if (cases === null) return `${money(saving, app.unit)} per case`;
    const total = money(saving * cases, app.unit);
    return app.period ? `${total} a ${app.period}` : `${total} on ${grouped(cases)} cases`;
  };
  const between = (naive, ends) => {
    if (!ends || !ends.every(Number.isFinite)) return "";
    const [low, high] = [ends[1], ends[0]].map((nec) => money(naive * (1 - nec) * (volume() || 1), null));
    return ` (${low} to ${high})`;
  };
  const rule = (k, cut) => { // in the words of the library where it is the one that it stated
    const known = cut === stated[k].threshold && stated[k].rule;
    return known || (Number.isFinite(cut) ? `p > ${cutText(cut)}` : cutText(cut));
  };
  const paid = app.costs.every((row) => Math.min(...row) === 0) ? "cost" : "avoidable cost";
  const quotedName = (name) => (name.includes(",") ? `'${name}'` : name);
  const oneOf = (those) => (those.length > 4 ? `${those[0]} or any of ${those.length - 1} others`
    : [those.slice(0, -1).join(", "), those[those.length - 1]].filter(Boolean).join(" or "));
  const sentence = (now) => {
    const k = now.best;
    const nec = now.nec[k];
    const baseline = `always deciding '${now.naiveDecision}'`;
    if (now.kind === "none") {
      return `Use no model: keep ${baseline}. No model here costs less (the nearest, ${quotedName(names[k])}, ` +
        `has an NEC of ${fixed(nec)}).`;
    }
    if (now.kind === "cannot say") {
      if (page.tooFew) return `Cannot say: ${page.tooFew}.`;
      return `Cannot say: ${quotedName(names[k])} may be no better than ${baseline} (NEC ${nec.toFixed(3)}, ` +
        `${percent(page.level, 1)} interval ${now.low[k].toFixed(3)} to ${now.high[k].toFixed(3)}).`;
    }
    if (now.kind === "deploy after re-calibrating") {
      const after = now.bestAfter;
      const left = 1 - now.after[after];
      return `Deploy ${quotedName(names[after])} after re-calibrating. It then saves ${amount(now.naive * left)}` +
        `${between(now.naive, now.afterEnds)}, ${percent(left, 0)} of the ${paid} of ${baseline}.`;
    }
    const ends = now.low && [now.low[k], now.high[k]];
    const worth = `saves ${amount(now.naive * (1 - nec))}${between(now.naive, ends)}, ` +
      `${percent(1 - nec, 0)} of the ${paid} of ${baseline}.`;
    const at = now.cut[k] === null ? "" : ` at ${rule(k, now.cut[k])}`;
    if (now.kind === "cannot tell apart") {
      const equals = names.filter((_, n) => now.nec[n] - nec <= 1e-12 * Math.max(1, nec));
      let doubt = `${equals.length === 2 ? "Both" : `These ${equals.length} models`} cost the same on these cases.`;
      if (equals.length === 1) {
        const [near, ...others] = now.rivals.map((n) => quotedName(names[n]));
        equals.push(...now.rivals.map((n) => names[n]));
        const more = now.needed - page.cases;
        doubt = `The data cannot tell it from ${near} (NEC difference ${now.value.toFixed(3)}`;
        if (now.ends && now.ends.every(Number.isFinite)) doubt += `, ${now.ends.map(fixed).join(" to ")}`;
        if (Number.isFinite(more) && more > 0) {
          const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(more, 1))) - 1);
          doubt += `; about ${grouped(Math.ceil(more / unit) * unit)} more cases would be needed`;
        }
        doubt += `)${others.length ? `, nor from ${oneOf(others)}` : ""}.`;
      }
      const which = names.length === 2 ? "Either" : oneOf(equals.map(quotedName));
      return `${which} will do; use ${quotedName(names[k])}${at}. It ${worth} ${doubt}`;
    }
    return `Deploy ${quotedName(names[k])}${at}. It ${worth}`;
  };
  const announce = (text) => {
    const target = $("verdict");
    if (target.textContent.replace(/\s+/g, " ").trim() === text.replace(/\s+/g, " ").trim()) return;
    const stop = text.indexOf(". ");
    target.replaceChildren();
    if (stop < 0) {
      target.textContent = text;
      return;
    }
    const strong = document.createElement("strong");
    strong.textContent = text.slice(0, stop + 1);
    target.append(strong, ` ${text.slice(stop + 2)}`);
  };
  const statedVerdict = $("verdict").textContent.replace(/\n/g, " ");
  const surelyThere = " Intervals and tests were computed at the stated costs and shares only.";

  // ---- whether to switch from the model in use, at another volume or scale of all costs
  const switched = (scale) => {
    const { challengers, switching_cost: price } = page.challenge;
    const [baseline, challenger] = [page.challenge.baseline, page.challenge.challenger].map(quotedName);
    const [saving, low, high] = [page.challenge.saving, ...page.challenge.interval].map((each) => each * scale);
    if (saving <= 0) {
      const more = saving < 0 ? `costs ${amount(-saving)} more` : "costs as much";
      return `Keep ${baseline}. No challenger costs less (the nearest, ${challenger}, ${more}).`;
    }
    const cases = volume() || 1;
    const ends = [low, high].map((each) => money(each * cases, null)).join(" to ");
    const together = challengers > 1 ? `; ${challengers} challengers compared` : "";
    const saves = `saves ${amount(saving)} (${ends}${together})`;
    const paid_ = `the ${money(price, app.unit)} that switching costs`;
    if (low * cases > price) {
      const k = names.indexOf(page.challenge.challenger);
      const at = stated[k].threshold === null ? "" : ` at ${rule(k, stated[k].threshold)}`;
      return `Switch from ${baseline} to ${challenger}${at}. It ${saves}${price > 0 ? `, more than ${paid_}` : ""}.`;
    }
    const how = high * cases <= price ? "less than" : "not surely more than";
    let short = price > 0 ? `, ${how} ${paid_}` : "";
    const lead = saving - price / cases;
    const more = lead > 0 ? page.cases * (((high - low) / 2 / lead) ** 2 - 1) : Infinity;
    if (Number.isFinite(more) && more > 0) {
      const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(more, 1))) - 1);
      short += `; about ${grouped(Math.ceil(more / unit) * unit)} more cases would be needed to be sure`;
    } else if (!short) short = ", which may be chance";
    return `Keep ${baseline}. ${challenger} ${saves}${short}.`;
  };
  // ---- the verdict where nothing but the volume, or the scale of all costs, has changed
  const rescaled = (scale) => {
    const after = stated.map((model) => model.recalibrated_nec);
    const ends = (limits, k) => (limits && limits[k] !== null ? limits[k] : NaN);
    if (page.kind === "it depends" || stated.some((model) => model.nec === null)) return statedVerdict;
    if (["switch", "keep"].includes(page.kind)) {
      return volume() === null && app.volume !== null ? statedVerdict : switched(scale);
    }
    if (page.challenge) return statedVerdict;
    const bestAfter = least(after);
    return sentence({
      kind: page.kind, best: names.indexOf(page.best), nec: stated.map((model) => model.nec),
      naive: page.naive * scale, naiveDecision: app.naive, after, bestAfter,
      low: stated.map((model) => ends(model.interval, 0)),
      high: stated.map((model) => ends(model.interval, 1)),
      afterEnds: bestAfter < 0 ? null : stated[bestAfter].recalibrated_interval,
      cut: stated.map((model) => model.threshold), ...page.rival,
    });
  };
  // ---- and where the costs or shares have, but how sure that is was not computed
  const unsure = (nec, naive, decision, how) => {
    const best = least(nec);
    const saved = 1 - nec[best];
    const baseline = `always deciding '${decision}'`;
    if (!(saved > 0)) return `None: no model here costs less than ${baseline}${how}.`;
    const whether = page.challenge && ` Whether to switch from ${quotedName(page.challenge.baseline)} was decided at the ` +
      "stated costs and shares only.";
    return `Cheapest here: ${quotedName(names[best])}. It saves ${amount(naive * saved)}, ${percent(saved, 0)} of the ${paid} of ` +
      `${baseline}${how}.${whether || surelyThere}`;
  };

