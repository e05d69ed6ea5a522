/** Question templates by aspect (the question types of MedQuAD). `$` stands for the topic. */
export const WORDINGS: Readonly<Record<string, readonly string[]>> = {
  information: ["Tell me about $", "can you explain $", "I was just told I have $, what is that", "meaning of $"],
  symptoms: ["how do I know if I have $", "signs of $", "What does somebody with $ notice?", "$ symptom list"],
  treatment: ["How is $ treated?", "what can doctors do about $", "therapy options, $", "is there a cure for $"],
  inheritance: ["Does $ run in families?", "can my child get $ from me", "is $ hereditary", "$ passed on by parents?"],
  frequency: ["How common is $?", "how rare is $", "share of the population with $", "$ number of cases"],
  "genetic changes": ["Which gene causes $?", "what mutation is behind $", "$ gene", "genes that have to do with $"],
  causes: ["why do people get $", "What is the reason for $?", "cause of $", "where does $ come from"],
  "exams and tests": ["what test finds $", "How do doctors find out that it is $?", "$ diagnosis", "exam to check for $"],
  outlook: ["how long can you live with $", "Does $ get better?", "$ prognosis", "chances of getting over $"],
  susceptibility: ["Who gets $?", "what people are likely to get $", "risk factors for $", "am I at risk of $"],
  prevention: ["how can I avoid $", "What keeps you from getting $?", "ways to lower the risk of $", "protect myself from $"],
  stages: ["how far can $ go", "How is $ staged?", "$ stage list", "phases of $"],
  complications: ["what can go wrong with $", "What else can $ lead to?", "problems that come with $", "$ complication list"],
};
