import { loadEngine } from '../trainer/inference/engine.ts'; import { createLogger } from '../trainer/server/shared/logging.ts'; import { buildPrompt } from '../trainer/server/inference/prompt.ts';
import { readFileSync, globSync } from 'node:fs';
const e = await loadEngine({modelPath:'trainer/models/hone-135m-fim-q5_0.gguf', gpu:'cpu', dataDir:null, logger:createLogger('warn')});
const pin = process.argv[2]; if (pin) { const fc = (e as any).loaded.backend.freeCores; fc.close(); fc.free = Number(pin); }
const files = globSync('trainer/*/*.ts').slice(0,12).map(f=>readFileSync(f,'utf8')).filter(t=>t.length>3000);
const q=(a:number[],p:number)=>a.sort((x,y)=>x-y)[Math.min(a.length-1,Math.floor(a.length*p))]!.toFixed(0);
const cold:number[]=[],pre:number[]=[],warm:number[]=[],warmPre:number[]=[],tok:number[]=[]; const t0=performance.now();
let first=true;
for (const text of files) { const at=Math.floor(text.length/2); const ids=e.tokenize(text.slice(0,at)).slice(-190); const prefix=e.detokenize(ids); const suffix=e.detokenize(e.tokenize(text.slice(at)).slice(0,40));
 const ask=(p:string)=>e.generate({prompt:buildPrompt(e,{kind:'document',document:{path:'src/a.ts',prefix:p,suffix}},32).tokens,maxTokens:24,temperature:0,topP:1,topK:0,repetitionPenalty:1,stop:['\n']});
 const r=await ask(prefix); if(first){first=false; console.log('first ever', r.timings.firstToken.toFixed(0)); } cold.push(r.timings.total); pre.push(r.timings.firstToken); tok.push((r.timings.total-r.timings.firstToken)/Math.max(1,r.tokens.length-1));
 for (const add of ['x','xy']) { const w=await ask(prefix+add); warm.push(w.timings.total); warmPre.push(w.timings.firstToken);} }
console.log('threads',pin??'free', 'n',cold.length,'cold total p50/p95',q(cold,.5),q(cold,.95),'cold first token',q(pre,.5),q(pre,.95),'| typed on: total',q(warm,.5),q(warm,.95),'first',q(warmPre,.5),q(warmPre,.95),'| ms/token p50',q(tok,.5), 'seconds',((performance.now()-t0)/1000).toFixed(0));
await e.dispose();
